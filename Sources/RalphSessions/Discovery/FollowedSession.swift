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
    /// How much inotify tells of its files.
    var reach = DirectoryWatches.Reach.everything
    /// Whether inotify does not tell everything of its files.
    var isPolled: Bool { reach != .everything }
    /// When it was last looked at for that, and when something was different then.
    private var polledAt: ContinuousClock.Instant?
    private var movedAt: ContinuousClock.Instant?
    /// The states of its files when they were last looked at without reading; see ``lookAtFiles(_:)``.
    private var growth: Int?
    private var others: Int?
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

    /// Which files look different from the last time, `nil` if none does; costs a few `lstat` and reads nothing.
    func lookAtFiles(_ files: Files) -> Files? {
        var hasher = Hasher()
        for path in facts.agentOutput { hasher.combine(EntryStatus(at: path)) }
        if let currentEvents { hasher.combine(EntryStatus(at: currentEvents)) }
        let newGrowth = hasher.finalize()
        defer { growth = newGrowth }
        if files == .all {
            let directory = facts.directory
            var hasher = Hasher()
            for path in [directory.path, directory.pointerFile, directory.lockFile] {
                hasher.combine(EntryStatus(at: path))
            }
            let newOthers = hasher.finalize()
            defer { others = newOthers }
            if newOthers != others { return .all }
        }
        return newGrowth == growth ? nil : .growing
    }

    /// For how long after a change a polled session is looked at as often as can be.
    private static let livelyTime: Duration = .seconds(10)

    /// Whether it is time to poll it again, where quiet sessions are polled every `interval`.
    func isPollDue(at now: ContinuousClock.Instant, quiet interval: Duration) -> Bool {
        guard let polledAt else { return true }
        if let movedAt, now - movedAt < Self.livelyTime { return true }
        return now - polledAt >= interval
    }

    /// Looks at all files for what inotify did not tell; see ``lookAtFiles(_:)``.
    func poll(at now: ContinuousClock.Instant) -> Files? {
        polledAt = now
        guard let different = lookAtFiles(.all) else { return nil }
        movedAt = now
        return different
    }
}
