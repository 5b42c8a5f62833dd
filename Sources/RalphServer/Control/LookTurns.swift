import RalphSessions
import RalphWire

/// Which sessions are being looked at, what they looked like, and whose turn it is among those that nothing is
/// going on with.
struct LookTurns: Sendable {
    private var underWay: Set<SessionID> = []
    /// Those of them that changed since the look began.
    private var again: Set<SessionID> = []
    private var seen: [SessionID: Appearance] = [:]
    private var last: SessionID?

    /// Whether nobody looks at `id` yet; then somebody does. What changes under a look is looked at again behind it.
    mutating func begin(_ id: SessionID, isChanged: Bool = false) -> Bool {
        if underWay.insert(id).inserted { return true }
        if isChanged { again.insert(id) }
        return false
    }

    /// Whether the look at `id` was the last one for now; else another one begins.
    mutating func end(_ id: SessionID) -> Bool {
        if again.remove(id) != nil { return false }
        underWay.remove(id)
        return true
    }

    /// Whether `entry` looks otherwise than when this was last asked: a run that merely writes events need not
    /// be looked at for each of them.
    mutating func isChanged(_ entry: CatalogueEntry) -> Bool {
        let appearance = Appearance(
            liveness: entry.liveness, runs: entry.state.runs, endReason: entry.state.endReason,
            isGone: entry.isGone)
        return seen.updateValue(appearance, forKey: entry.session.id) != appearance
    }

    /// Whether a run was alive in the session `id` when ``isChanged(_:)`` was last asked.
    func wasHeld(_ id: SessionID) -> Bool { seen[id]?.liveness.lockHeld == true }

    /// What of a session tells that something happened to its run.
    private struct Appearance: Sendable, Equatable {
        let liveness: SessionLiveness
        let runs: Int
        let endReason: String?
        let isGone: Bool
    }

    /// The next `count` of `sessions`, which ascend, behind those of the last call.
    mutating func next(_ count: Int, of sessions: [SessionID]) -> ArraySlice<SessionID> {
        let start = last.flatMap { last in sessions.firstIndex { $0 > last } } ?? 0
        let turn = sessions[start...].prefix(count)
        last = turn.last
        return turn
    }
}
