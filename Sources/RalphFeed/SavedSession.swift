/// What the store knows of one session apart from its events.
package struct SavedSession: Sendable, Equatable {
    /// The bookmarks by name, as ``SessionAppend/checkpoints`` gave them.
    package var checkpoints: [String: [UInt8]]
    /// The newest ``SessionAppend/state``; `nil` if there never was one.
    package var state: [UInt8]?
    package var head: FeedHead
}
