import RalphWire

/// Which sessions are being looked at, and whose turn it is among those that nothing is going on with.
struct LookTurns: Sendable {
    private var underWay: Set<SessionID> = []
    private var last: SessionID?

    /// Whether nobody looks at `id` yet; then somebody does.
    mutating func begin(_ id: SessionID) -> Bool { underWay.insert(id).inserted }

    mutating func end(_ id: SessionID) { underWay.remove(id) }

    /// The next `count` of `sessions`, which ascend, behind those of the last call.
    mutating func next(_ count: Int, of sessions: [SessionID]) -> ArraySlice<SessionID> {
        let start = last.flatMap { last in sessions.firstIndex { $0 > last } } ?? 0
        let turn = sessions[start...].prefix(count)
        last = turn.last
        return turn
    }
}
