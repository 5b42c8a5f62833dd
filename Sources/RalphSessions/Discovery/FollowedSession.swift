import RalphWire

/// One session while it is followed: its tail, and what is known to be waiting in its files.
final class FollowedSession {
    var facts: DiscoveredSession
    /// See ``ScanResult/Session``.
    var currentEvents: String?
    var pointedDirectory: String?
    /// `nil` until the session is read for the first time.
    var tail: SessionTail?

    /// Names that changed since the last read.
    private(set) var changed: Set<String> = []
    /// Whether every file is to be looked at in the next read.
    private(set) var wantsFullLook = true
    /// Whether the changed ones were only written to.
    private var hasOnlyGrown = true
    /// Whether it waits in the watcher's queue to be read.
    var isQueued = false
    /// Whether its directory is gone and only the last read is missing.
    var isLeaving = false
    /// Whether inotify does not watch all of its files.
    var isPolled = false
    /// The states of its files when they were last looked at without reading; see ``lookAtFiles(_:)``.
    private var fingerprint: Int?
    /// As last reported.
    var liveness: SessionLiveness?

    init(_ session: ScanResult.Session) {
        facts = session.facts
        currentEvents = session.currentEvents
        pointedDirectory = session.pointedDirectory
    }

    /// Notes that the file `name` changed.
    ///
    /// - Parameter isGrowth: it was written to, and neither came nor went nor was replaced.
    func note(_ name: String, isGrowth: Bool) {
        guard !wantsFullLook else { return }
        changed.insert(name)
        hasOnlyGrown = hasOnlyGrown && isGrowth
    }

    /// Notes that anything may have changed.
    func noteEverything() {
        wantsFullLook = true
        changed = []
    }

    /// What the next read has to look at, see ``SessionTail/read(changed:isGrowth:isLast:budget:now:)``; nothing is noted
    /// then.
    func takeChanges() -> (changed: Set<String>?, isGrowth: Bool) {
        defer {
            changed = []
            wantsFullLook = false
            hasOnlyGrown = true
        }
        return wantsFullLook ? (nil, false) : (changed, hasOnlyGrown)
    }

    /// Which files are looked at.
    enum Files {
        /// Those to which runs append.
        case growing
        /// And those that tell of a new run.
        case all
    }

    /// Whether a file looks different from the last time; costs a few `lstat` and reads nothing.
    func lookAtFiles(_ files: Files) -> Bool {
        var hasher = Hasher()
        for path in facts.agentOutput { hasher.combine(EntryStatus(at: path)) }
        if let currentEvents { hasher.combine(EntryStatus(at: currentEvents)) }
        if files == .all {
            let directory = facts.directory
            for path in [directory.path, directory.pointerFile, directory.lockFile] {
                hasher.combine(EntryStatus(at: path))
            }
        }
        let new = hasher.finalize()
        defer { fingerprint = new }
        return fingerprint != new
    }
}
