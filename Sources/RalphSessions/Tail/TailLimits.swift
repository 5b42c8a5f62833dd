/// The bounds of reading; the defaults are what the server runs with.
package struct TailLimits: Sendable, Equatable {
    /// Longer lines are skipped and reported, in bytes without the LF.
    package var maximumLineBytes = 1 << 20
    /// Bytes asked from the system at once; also about what a read overshoots its budget by.
    package var readBytes = 256 * 1024
    /// How many of its newest lines a session begins with, blank lines not counted.
    package var firstSightLines = 1000
    /// No more than this is looked through, from the end backwards, to find them.
    package var firstSightBytes: Int64 = 256 << 20
    /// Descriptors that stay open between reads, over all sessions that share a ``FilePool``.
    package var openFiles = 512
    /// How many events files of a session, newest first, a full look looks at.
    package var watchedFiles = 8
    /// How long a copy that is being made may rest (``ReturningFile``).
    package var copyRest = Duration.seconds(2)
    /// How long it may take unless its newest line is older than it is: a run that goes on in a file from an older backup
    /// makes it grow, too.
    package var copyDuration = Duration.seconds(30)
    /// How long it may take at most.
    package var longestCopy = Duration.seconds(120)
    /// How long newer rows wait for a file that was read before and may not be read any more, in milliseconds.
    package var permissionWait: Int64 = 30_000
    /// The output of a run is read at most this often, in milliseconds.
    package var agentOutputInterval: Int64 = 250
    /// Canonical paths: neither they nor what is below them is read, whatever a pointer names.
    package var secrets: [String] = []
    /// The workspace's configuration is looked at no more often than this, in milliseconds.
    package var configurationInterval: Int64 = 1000

    package init() {}
}
