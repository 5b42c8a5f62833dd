import RalphControl
import RalphSessions
import RalphWire

/// Knows which processes work for which session.
struct ProcessOwners: Sendable {
    /// Whose process it is.
    struct Owner: Sendable, Equatable {
        let session: SessionID
        /// When the process that is meant began, clock ticks since boot; `nil`: not known.
        let startTicks: UInt64?
    }

    /// Parents are looked for this far up.
    private static let maximumDepth = 64

    let registry: RunRegistry
    let catalogue: SessionCatalogue

    /// The processes that are known by themselves: those of runs, whoever started them, of their agents, and
    /// agents that live on without their run. By pid.
    func all() -> [Int32: Owner] {
        var owners: [Int32: Owner] = [:]
        for id in catalogue.held {
            guard let pid = catalogue.entry(id)?.liveness.pid else { continue }
            owners[pid] = Owner(session: id, startTicks: nil)
        }
        for id in registry.sessions {
            for pid in registry.orphans(of: id) { owners[pid] = Owner(session: id, startTicks: nil) }
            guard let record = registry.run(id)?.record else { continue }
            let agents = record.agents.flatMap(\.members)
            for process in agents + (record.process.map { [$0] } ?? []) {
                owners[process.pid] = Owner(session: id, startTicks: process.startTicks)
            }
        }
        return owners
    }

    /// The session that a process works for: its own, or that of the nearest process above it which has one.
    static func session(
        of line: ProcessStatus, in processes: [Int32: ProcessStatus], _ owners: [Int32: Owner]
    ) -> SessionID? {
        guard !owners.isEmpty else { return nil }
        var current: ProcessStatus? = line
        for _ in 0..<maximumDepth {
            guard let process = current else { return nil }
            if let owner = owners[process.pid], (owner.startTicks ?? process.startTicks) == process.startTicks
            {
                return owner.session
            }
            current = processes[process.parent]
        }
        return nil
    }
}
