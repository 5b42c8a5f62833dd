package import RalphSessions
package import RalphWire

/// What a controller asks of its owner.
package struct ControlReports: Sendable {
    /// Stores a record, before what it says is acted on.
    package var save: @Sendable (RunRecord) throws -> Void
    /// Stores a record of what is so already; what it says is shown also where that throws.
    package var saveObserved: @Sendable (RunRecord) throws -> Void
    /// Hands a note to the session's record; returns when it is stored, or given up.
    package var note: @Sendable (SessionID, ControlNote) async -> Void
    /// Has what is left in the session's files read; returns when it is stored, or given up.
    package var readToEnd: @Sendable (SessionID) async -> Void
    /// Whether the output of a run, a path, is still asked for.
    package var keepsOutput: @Sendable (String) -> Bool
    /// Whether a merge of a loop is begun in a workspace, a path, of which no process need tell yet; it must not block.
    package var isMerge: @Sendable (String) -> Bool

    package init(
        save: @escaping @Sendable (RunRecord) throws -> Void,
        saveObserved: (@Sendable (RunRecord) throws -> Void)? = nil,
        note: @escaping @Sendable (SessionID, ControlNote) async -> Void,
        readToEnd: @escaping @Sendable (SessionID) async -> Void = { _ in },
        keepsOutput: @escaping @Sendable (String) -> Bool = { _ in false },
        isMerge: @escaping @Sendable (String) -> Bool = { _ in false }
    ) {
        self.save = save
        self.saveObserved = saveObserved ?? save
        self.note = note
        self.readToEnd = readToEnd
        self.keepsOutput = keepsOutput
        self.isMerge = isMerge
    }
}
