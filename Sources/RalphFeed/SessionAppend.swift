package import RalphWire

/// What one read of a session brought: stored in one transaction, numbered, and published.
package struct SessionAppend: Sendable {
    package var id: SessionID
    /// The canonical session directory, for people who look into the store.
    package var directory: String
    package var batch: EventBatch
    /// The bookmarks that moved, by name; opaque here, but for an empty one, which removes what was stored.
    /// They are stored with `batch` or not at all.
    package var checkpoints: [String: [UInt8]]
    /// What is to be kept about the session besides; `nil`: unchanged.
    package var state: [UInt8]?
    /// What is to be added to the session's figures.
    package var figures: FigureDays

    package init(
        id: SessionID, directory: String, batch: EventBatch, checkpoints: [String: [UInt8]] = [:],
        state: [UInt8]? = nil, figures: FigureDays = FigureDays()
    ) {
        self.id = id
        self.directory = directory
        self.batch = batch
        self.checkpoints = checkpoints
        self.state = state
        self.figures = figures
    }
}
