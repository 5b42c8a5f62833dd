import Foundation

/// Ends a child of ours with everything below it at once, agents first: for runs that did not come to be. Runs elsewhere are not
/// spared: such a run had no agent yet that could have started one.
struct ProcessRemoval {
    /// How the child ended; `nil` if it could not be reaped.
    private(set) var exit: RunRecord.Exit?
    /// What did not die in time.
    private(set) var left: [ProcessIdentity] = []

    private static let patience = Duration.seconds(2)

    static func remove(_ handle: ProcessHandle) async -> ProcessRemoval {
        var removal = ProcessRemoval()
        let deadline = ContinuousClock.now + patience
        // Stopped it starts nothing more between the look at its family and its end.
        handle.signal(SIGSTOP)
        let tree = ProcessTree()
        let groups = tree.agentGroups(of: handle.identity)
        let own = tree.ownGroup(of: handle.identity)
        for group in groups { group.signal(SIGKILL) }
        own?.signal(SIGKILL)
        handle.signal(SIGKILL)
        if await handle.waitForExit(until: deadline) {
            removal.exit = handle.reap()
        } else {
            LeftChildren.keep(handle)
        }
        var members = (groups + [own].compactMap { $0 }).flatMap(\.members)
        members.removeAll { $0 == handle.identity && removal.exit != nil }
        for member in members {
            guard let rest = ProcessHandle(member), !rest.isOver else { continue }
            rest.signal(SIGKILL)
            if await !rest.waitForExit(until: deadline) { removal.left.append(member) }
        }
        return removal
    }
}
