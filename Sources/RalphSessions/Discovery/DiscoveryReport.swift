package import RalphWire

/// What the last scan saw; for `/api/health` and the log.
package struct DiscoveryReport: Sendable, Equatable {
    /// A directory that could not be read.
    package struct Unreadable: Sendable, Equatable {
        package let path: String
        /// The system's words.
        package let reason: String
    }

    /// How changes of a session are noticed.
    package enum Mode: String, Sendable { case inotify, poll }

    /// The canonical roots that exist.
    package var roots: [String] = []
    /// How many sessions there are.
    package var sessions = 0
    /// How many directories were looked at.
    package var directories = 0
    /// The first 32 directories that could not be read, and roots that do not exist.
    package var unreadable: [Unreadable] = []
    /// All directories that could not be read.
    package var unreadableCount = 0
    /// All roots that could not be read or do not exist.
    package var unreadableRoots: [Unreadable] = []
    /// How many links were not followed, so that no loop of links can be entered.
    package var skippedLinks = 0
    /// Whether more sessions or directories exist than the settings allow.
    package var isTruncated = false
    /// Sessions that are polled because inotify does not tell of all that happens to them.
    package var polled: Set<SessionID> = []
    /// Those of them for which no watch was left.
    package var unwatched: Set<SessionID> = []
    /// How many other directories, missing roots included, are only seen by scans, or not by inotify alone.
    package var unwatchedDirectories = 0
    /// Why there is no inotify at all.
    package var inotifyUnavailable: String?
    /// How long the scan took.
    package var duration: Duration = .zero

    package init() {}

    /// How many sessions lie where inotify is silent about what others change.
    var silentSessions: Int { polled.count - unwatched.count }

    /// How changes of `session` are noticed.
    package func mode(of session: SessionID) -> Mode {
        inotifyUnavailable != nil || polled.contains(session) ? .poll : .inotify
    }
}
