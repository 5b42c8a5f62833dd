import RalphWire

/// The loops of one workspace.
struct LoopList: Sendable {
    let workspace: String
    /// The primary first, the others by their start; the primary at most where there is a ``problem``.
    let loops: [Loop]
    /// Why `loops.json` cannot be read: nobody knows which loops there are, or which of them work.
    var problem: Problem?
    /// Whether Ralph may be rewriting `loops.json` right now.
    var isUnfinished = false
}

extension [LoopList] {
    /// The loop of this id; `nil`: no list has it.
    ///
    /// - Throws: ``Problem`` 404 for an id of several workspaces.
    func loop(_ id: String) throws(Problem) -> Loop? {
        let found = flatMap(\.loops).filter { $0.id == id }
        if found.count > 1 { throw .loopNotFound(id, isAmbiguous: true) }
        return found.first
    }

    /// What to tell of a loop that no list has.
    func problem(of id: String) -> Problem { lazy.compactMap(\.problem).first ?? .loopNotFound(id) }
}
