/// Where sessions are looked for, how often, and how much may be found.
package struct DiscoverySettings: Sendable {
    /// Directories below which sessions are found; they may be links, and may overlap.
    package var roots: [String]
    /// How many levels below a root workspaces are found; 0: only the root itself. `.worktrees/*` do not
    /// count.
    package var depth = 3
    /// Names of directories that are not entered, beside ``alwaysExcluded``.
    package var excludes: Set<String> = []
    /// How often everything is looked at again, whatever inotify says.
    package var rescanInterval: Duration = .seconds(5)
    /// How often sessions are looked at of which inotify does not tell everything; see ``quietPollInterval(sessions:)``.
    package var pollInterval: Duration = .milliseconds(250)
    /// At most this many of those are looked at in one step, with a rest behind it that is four times as long.
    package var pollsPerStep = 32
    /// Further sessions are not followed, but for those of roots and of ``workspaces``; the report says so.
    package var maximumSessions = 20_000
    /// Further directories are not entered, but for roots and ``workspaces``; the report says so.
    package var maximumDirectories = 200_000
    /// How long a scan may have taken for the next one to be made in one step, when something came or went.
    package var shortScan: Duration = .milliseconds(100)
    /// About this many directories of the trees are looked at in one step of any other scan.
    package var scannedPerStep = 2
    /// What a directory lies on; asked once for each directory, when its watch begins.
    package var fileSystem: @Sendable (String) -> FileSystemKind? = { [known = MountedKinds()] in
        known.kind(of: $0)
    }
    /// At most this many inotify watches are used; `nil`: as many as the system gives.
    package var maximumWatches: Int?
    /// At most this many sessions are read for the first time in one step.
    package var firstSightsPerStep = 64
    /// At most this many sessions that nothing was heard of are looked at in one step, after a scan.
    package var looksPerStep = 2
    /// At most this many of all sessions are looked at for their liveness in one step, when it is time for that.
    package var liveLooksPerStep = 64
    /// About how many bytes of one session are read in one step: what comes of it, stored and sent at once, is a part of
    /// what is kept in memory, so that a client that takes it as it comes need not read from the disk.
    package var sessionBudgetBytes = 2 << 20
    /// After about this many bytes of events a step ends, and the next one goes on.
    package var stepBudgetBytes = 8 << 20
    /// Further output files of `--rpc` runs of a session, as absolute paths; asked at every scan.
    package var agentOutput: @Sendable (SessionDirectory) -> [String] = { _ in [] }
    /// Workspaces that are looked at in every scan, however deep below a root they lie; asked each time. One
    /// that lies below no root, or does not exist, is passed over.
    package var workspaces: @Sendable () -> [String] = { [] }
    /// What runs go by.
    package var configurations = ConfigurationSources()

    package init(roots: [String]) { self.roots = roots }

    /// How often a polled session is looked at in which nothing has moved lately and nobody works, where `sessions` are
    /// polled: 1000 of them cost no more than a few hundred.
    func quietPollInterval(sessions: Int) -> Duration { pollInterval * min(max(sessions / 128, 1), 8) }

    /// Never entered: they are large and hold no workspaces of their own.
    package static let alwaysExcluded: Set<String> = ["node_modules", ".git", "target", ".build"]

    /// Whether the directory `name` is not entered in search of workspaces.
    func isExcluded(_ name: String) -> Bool { isSkipped(name) || Self.isHome(name) }

    /// Whether nothing in a directory of this name can matter.
    func isSkipped(_ name: String) -> Bool { Self.alwaysExcluded.contains(name) || excludes.contains(name) }

    /// Whether a directory of this name can make its parent a workspace.
    static func isLayoutName(_ name: String) -> Bool {
        isHome(name) || SessionDirectory.unknownNames.contains(name)
    }

    private static func isHome(_ name: String) -> Bool {
        name == SessionDirectory.ralphName || name == SessionDirectory.agentName
            || name == SessionDirectory.worktreesName
    }
}
