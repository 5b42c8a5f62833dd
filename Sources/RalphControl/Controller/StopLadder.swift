import Foundation
import RalphSessions

/// The steps down which a run is ended (design 6): the stop file, its agents, Ralph itself, everything.
///
/// Who belongs to the run is collected before each step and kept: when Ralph has died, its agents are children of
/// somebody else (contract 4.1).
struct StopLadder {
    /// How long the rest of the run's family may take to end once Ralph has.
    private static let familyGrace = Duration.seconds(2)
    private static let killGrace = Duration.seconds(3)

    private let process: ProcessIdentity?
    private let handle: ProcessHandle?
    private let directory: SessionDirectory
    private let settings: ControlSettings
    /// Agents, and what was found of them.
    private var groups: Set<ProcessGroup>
    /// Ralph's own group.
    private var own: ProcessGroup?
    private(set) var hasSignalled = false

    init(
        process: ProcessIdentity?, groups: [ProcessGroup], directory: SessionDirectory,
        settings: ControlSettings
    ) {
        self.process = process
        handle = process.flatMap { ProcessHandle($0) }
        self.directory = directory
        self.settings = settings
        self.groups = Set(groups)
    }

    /// What is still alive.
    var survivors: [Int32] {
        var found = Set(groups.union(own.map { [$0] } ?? []).flatMap(\.members).filter(\.isAlive).map(\.pid))
        if let process, process.isAlive { found.insert(process.pid) }
        return found.sorted()
    }

    /// Goes down until Ralph has ended; the stop file is there.
    ///
    /// - Parameters:
    ///   - isSuspended: a suspended Ralph ignores SIGTERM, and obeys the file within 250 ms.
    ///   - isForced: whether the file is not to be waited for, any more.
    ///   - beforeSignal: called before Ralph itself is signalled.
    mutating func descend(
        isSuspended: () -> Bool, isForced: () -> Bool, beforeSignal: () -> Void
    ) async {
        guard handle != nil else { return }
        collect()
        // What wakes by the file ends by it, also when it is awake already.
        var obeysFile = false
        func isHurried() -> Bool {
            obeysFile = obeysFile || isSuspended()
            return isForced() && !obeysFile
        }
        if await isOver(within: settings.stopGrace, unless: isHurried) { return }
        collect()
        // Without an agent there is nothing to wait for: Ralph waits for a person, or for nobody knows what.
        if !groups.isEmpty {
            for group in groups where group.signal(SIGTERM) { hasSignalled = true }
            if await isOver(within: settings.agentGrace) { return }
        }
        collect()
        beforeSignal()
        if let process, isLeader(process) {
            // It ends its own group and itself. In somebody else's group it would end that as well.
            if handle?.signal(SIGTERM) == true { hasSignalled = true }
            if await isOver(within: settings.ralphGrace) { return }
            collect()
        }
        if let own, let process, isLeader(process), own.signal(SIGKILL) { hasSignalled = true }
        if handle?.signal(SIGKILL) == true { hasSignalled = true }
        _ = await isOver(within: Self.killGrace)
    }

    /// Ends what is left when Ralph has ended.
    ///
    /// - Returns: whether nothing is left.
    mutating func finish() async -> Bool {
        if await isFamilyOver(within: .zero) { return true }
        for (signal, grace) in [(SIGTERM, Self.familyGrace), (SIGKILL, Self.killGrace)] {
            for group in groups.union(own.map { [$0] } ?? []) where group.isAlive {
                if group.signal(signal) { hasSignalled = true }
            }
            if await isFamilyOver(within: grace, repeating: signal) { return true }
        }
        return false
    }

    // MARK: Who

    private mutating func collect() {
        guard let process else { return }
        let tree = ProcessTree()
        // Without ralph nothing tells its agents from runs that they started.
        guard tree.status(of: process) != nil else { return }
        let found = groups.union(tree.agentGroups(of: process))
        // A run that an agent has started elsewhere may have been seen before it had a group of its own.
        groups = Set(tree.withoutRuns(elsewhereThan: directory, below: process, Array(found)))
        own = tree.ownGroup(of: process) ?? own
    }

    private func isLeader(_ process: ProcessIdentity) -> Bool { own?.id == process.pid }

    private mutating func addOrphans() {
        for orphan in ProcessTree().orphans(of: directory) { groups.insert(orphan) }
    }

    // MARK: Waiting

    private func isOver(within limit: Duration, unless isHurried: () -> Bool = { false }) async -> Bool {
        guard let handle else { return true }
        let deadline = ContinuousClock.now + limit
        while !handle.isOver {
            guard ContinuousClock.now < deadline, !isHurried() else { return false }
            await Pace.rest(Pace.look)
        }
        return true
    }

    private mutating func isFamilyOver(within limit: Duration, repeating signal: Int32? = nil) async -> Bool {
        let deadline = ContinuousClock.now + limit
        while true {
            if survivors.isEmpty {
                addOrphans()
                if survivors.isEmpty { return true }
                if let signal { for group in groups where group.isAlive { group.signal(signal) } }
            }
            guard ContinuousClock.now < deadline else { return false }
            await Pace.rest(Pace.look)
        }
    }
}
