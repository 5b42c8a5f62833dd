/// Where a search index lies, and how gently it is kept.
package struct SearchConfiguration: Sendable {
    /// The SQLite file; it is derived from the event store and made anew whenever it does not fit.
    package var path: String
    /// For how long no event must have come before the index takes in what did.
    package var gathering: Duration = .seconds(1)
    /// Events that it takes in although more come: about as many as it manages within a search's ``patience``.
    package var manyEvents: Int64 = 16_384
    /// How long a search waits until the index has what was stored before it.
    package var patience: Duration = .seconds(1)
    /// The wait before the index is tried again after an error such as a full disk.
    package var retry: Duration = .seconds(2)
    /// Room that is left to others on the file system, in bytes: the index, which can be made anew, must not take the
    /// last of it from the store, which cannot.
    package var reservedBytes = 32 << 20
    /// `nil`: FTS5 if the system's SQLite has it; else what to use.
    package var mode: SearchMode?

    /// The settings for the file at `path`, with the defaults for everything else.
    package init(path: String) {
        self.path = path
    }
}
