package import RalphSessions
package import RalphWire

/// What a controller asks of its owner.
package struct ControlReports: Sendable {
    /// Stores a record, before what it says is acted on.
    package var save: @Sendable (RunRecord) throws -> Void
    /// Hands a note to the session's record; returns when it is stored, or given up.
    package var note: @Sendable (SessionID, ControlNote) async -> Void
    /// Has what is left in the session's files read; returns when it is stored, or given up.
    package var readToEnd: @Sendable (SessionID) async -> Void

    package init(
        save: @escaping @Sendable (RunRecord) throws -> Void,
        note: @escaping @Sendable (SessionID, ControlNote) async -> Void,
        readToEnd: @escaping @Sendable (SessionID) async -> Void = { _ in }
    ) {
        self.save = save
        self.note = note
        self.readToEnd = readToEnd
    }
}
