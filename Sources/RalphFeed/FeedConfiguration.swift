/// Where a feed keeps its record and how much of it.
package struct FeedConfiguration: Sendable {
    /// The SQLite file; its directory is made (0700) if it is missing.
    package var path: String
    /// How many of the newest events of each session the table keeps, 100 … 1 000 000.
    package var ring = 1000
    /// What the newest events of all sessions together may cost in memory, in bytes.
    package var memoryBytes = 5 << 20
    /// How large the write-ahead log may grow, in bytes; one append may go beyond it once.
    package var walCapBytes = 128 << 20
    /// After how many events of one stretch of a file its place is noted again.
    package var archiveStride = 256

    /// The bounds of ``ring``: what a person may want, and what a slot number has room for.
    package static let ringBounds = 100...1_000_000

    /// The settings for the file at `path`, with the defaults for everything else.
    package init(path: String) {
        self.path = path
    }
}
