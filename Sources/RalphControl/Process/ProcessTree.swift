import Foundation
import RalphSessions

/// The living processes of the machine, as one look at `/proc` found them.
package struct ProcessTree: Sendable {
    /// By pid; no zombies.
    let processes: [Int32: ProcessStatus]
    private let children: [Int32: [Int32]]

    package init() {
        var processes: [Int32: ProcessStatus] = [:]
        for name in Self.names() {
            guard let pid = Int32(name), let status = ProcessStatus(pid: pid), !status.isOver else {
                continue
            }
            processes[pid] = status
        }
        self.processes = processes
        children = Dictionary(grouping: processes.keys.sorted()) { processes[$0]?.parent ?? 0 }
    }

    /// The groups below `ralph` that are not its own: those of its agents, which a signal to ralph's group
    /// does not reach (contract 4.1). With all members of their user, unless a stranger leads them: one whose parent has
    /// ended is below ralph no more. Also those of runs that an agent has started elsewhere; see ``agentGroups(of:in:)``.
    package func agentGroups(of ralph: ProcessIdentity) -> [ProcessGroup] {
        guard let own = status(of: ralph)?.group else { return [] }
        let below = statuses(below: ralph).filter { $0.group != own }
        let known = Set(below.map(\.pid))
        let groups = Set(below.map(\.group)).filter { known.contains($0) || processes[$0] == nil }
        let orphans = processes.values.filter { status in
            groups.contains(status.group) && !known.contains(status.pid) && status.pid != getpid()
                && ProcessIdentity(status).uid == ralph.uid
        }
        return Self.groups(of: below + orphans)
    }

    /// The processes that have `argument` in their command line, this one left out.
    package func processes(withArgument argument: String) -> [ProcessIdentity] {
        let wanted = Array(argument.utf8)
        let identities = processes.values.map(ProcessIdentity.init).sorted { $0.pid < $1.pid }
        return identities.filter { identity in
            guard identity.pid != getpid(), let bytes = ProcessFile.bytes(pid: identity.pid, "cmdline") else {
                return false
            }
            return bytes.split(separator: 0).contains { $0.elementsEqual(wanted) } && identity.isAlive
        }
    }

    /// The group that `process` is in: itself and what of its family is in it too.
    package func ownGroup(of process: ProcessIdentity) -> ProcessGroup? {
        guard let own = status(of: process) else { return nil }
        let members = [own] + statuses(below: process).filter { $0.group == own.group }
        return ProcessGroup(id: own.group, members: members.map(ProcessIdentity.init))
    }

    /// Whether `pid` is `process` or was below it.
    func isFamily(_ pid: Int32, of process: ProcessIdentity) -> Bool {
        pid == process.pid || statuses(below: process).contains { $0.pid == pid }
    }

    /// The process of `identity`, if this look found it.
    func status(of identity: ProcessIdentity) -> ProcessStatus? {
        guard identity.bootID == ProcessIdentity.currentBootID, let status = processes[identity.pid],
            status.startTicks == identity.startTicks
        else { return nil }
        return status
    }

    /// Everything below `process`, parents before their children; without itself.
    func statuses(below process: ProcessIdentity) -> [ProcessStatus] {
        guard status(of: process) != nil else { return [] }
        var found: [ProcessStatus] = []
        var waiting = children[process.pid] ?? []
        var seen: Set<Int32> = [process.pid]
        var next = 0
        while next < waiting.count {
            let pid = waiting[next]
            next += 1
            // The look was not one instant: numbers that were given anew in it could make a circle.
            guard seen.insert(pid).inserted, let status = processes[pid] else { continue }
            found.append(status)
            waiting += children[pid] ?? []
        }
        return found
    }

    /// The entries of `/proc`; none where there is no such thing.
    private static func names() -> [String] {
        // Without /proc nothing is known of any process.
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    }

    /// The groups that `processes` are in, in the order of their numbers.
    static func groups(of processes: [ProcessStatus]) -> [ProcessGroup] {
        Dictionary(grouping: processes, by: \.group)
            .map { ProcessGroup(id: $0, members: $1.map(ProcessIdentity.init).sorted { $0.pid < $1.pid }) }
            .sorted { $0.id < $1.id }
    }
}
