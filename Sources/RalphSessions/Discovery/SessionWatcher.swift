package import Logging
package import RalphWire

/// Finds sessions, follows their files, and tells what is new: the front door of this module.
///
/// inotify(7) is only a hint of when to look; a scan of all roots in regular intervals is the truth, and
/// covers lost hints, full queues and directories that cannot be watched. All work but a look at the system's
/// locks happens inside ``next(timeout:holdBack:)``. Owned by one thread. Nothing that lies on disk makes it fail.
package final class SessionWatcher {
    /// Ends a wait from any thread.
    package let wakeup: WatchWakeup

    let settings: DiscoverySettings
    let tailLimits: TailLimits
    /// The open files of all tails.
    let pool: FilePool
    let logger: Logger
    let saved: (SessionID) -> SavedTail?
    let clock = ContinuousClock()
    let inotify: InotifyWatcher
    var watches: DirectoryWatches

    var scanner: SessionScanner
    /// What the regular scan that goes on has taken so far.
    var scanDuration: Duration = .zero
    /// When everything is looked at next, whatever inotify says.
    var lookDue: ContinuousClock.Instant
    /// Whether something appeared or vanished that only a scan can tell.
    var isScanWanted = false
    /// Whether somebody waits for that scan, which then need not wait for ``scanAllowed``.
    var isScanUrgent = false
    /// No scan before this, so that scans take at most a fifth of the time; a third while they are asked for all the time,
    /// since of two in a row only the first may come earlier.
    var scanAllowed: ContinuousClock.Instant
    /// Whether the last scan came earlier than that.
    var isScanAhead = false
    /// Watched for the scanner's sake, with what for.
    var scannedPaths: [PathKey: ScanResult.Role] = [:]
    var lastReport = DiscoveryReport()
    /// Whether it was said that sessions are polled for want of watches, and they still are.
    var isPollingTold = false
    /// Whether it was said that sessions lie where inotify is silent.
    var isSilenceTold = false

    var followed: [SessionID: FollowedSession] = [:]
    /// Sessions that are still to be read for the first time, in the order of their paths.
    var newcomers: [SessionID] = []
    /// Sessions with something to read, longest waiting first.
    var queue: [SessionID] = []
    /// Sessions whose files are still to be looked at since the last scan, a few in each step.
    var looksDue: [SessionID] = []
    /// Not before this, so that looking at polled sessions takes at most a fifth of the time.
    var looksAllowed: ContinuousClock.Instant
    /// Sessions that want another read at a time of their own.
    var readAgain: [SessionID: ContinuousClock.Instant] = [:]
    /// Sessions of which inotify does not tell everything.
    var polled: Set<SessionID> = []
    /// When they are looked at next, a few in each step, and those whose turn is still to come.
    var pollDue: ContinuousClock.Instant
    var pollRest: [SessionID] = []

    var probe = LivenessProbe()
    var alive: Set<SessionID> = []
    /// Sessions whose control files changed, or whose turn it is.
    var livenessWanted: Set<SessionID> = []
    let lockReader = LockReader()
    /// Those for whom it looks at the locks now.
    var livenessAsked: Set<SessionID> = []
    /// How many newcomers there were ever: now, when the look began that the probe has, and when the one that goes on did.
    /// What changes after a newcomer is watched inotify tells.
    var newcomersSeen = 0
    var newcomersSeenInLook = 0
    var newcomersSeenAsked = 0
    /// Looked at once more a moment later: the kernel tells of a closing file before it drops its lock.
    var livenessSoon: (due: ContinuousClock.Instant, sessions: Set<SessionID>)?
    var aliveDue: ContinuousClock.Instant
    /// When the liveness of all is looked at next, a few in each step; not before the last such look is over.
    var livenessDue: ContinuousClock.Instant
    /// Whether it is time for that, and whether the locks are looked at for it.
    var isEverybodyDue = false
    var isEverybodyAsked = false
    /// Those whose liveness is still to be looked at then, and not before when.
    var livenessRest: [SessionID] = []
    var livenessAllowed: ContinuousClock.Instant

    /// - Parameter saved: where the tail of a session was before; asked when a session is found.
    /// - Throws: when not even a wait can be set up. Without inotify, sessions are polled.
    package init(
        settings: DiscoverySettings, tailLimits: TailLimits, logger: Logger,
        saved: @escaping (SessionID) -> SavedTail?
    ) throws(WatchError) {
        self.settings = settings
        self.tailLimits = tailLimits
        pool = FilePool(limits: tailLimits)
        self.logger = logger
        self.saved = saved
        wakeup = try WatchWakeup()
        inotify = InotifyWatcher(wakeup: wakeup, maximumWatches: settings.maximumWatches)
        watches = DirectoryWatches(inotify: inotify, fileSystem: settings.fileSystem)
        scanner = SessionScanner(settings: settings)
        let now = clock.now
        (lookDue, looksAllowed, scanAllowed) = (now, now, now)
        (pollDue, aliveDue, livenessDue, livenessAllowed) = (now, now, now, now)
        if let reason = inotify.unavailableReason {
            logger.warning("File changes are polled", metadata: ["reason": "\(reason)"])
        }
    }

    /// Waits at most `timeout` until something happened or is due, and reads what is new.
    ///
    /// A step is bounded (``DiscoverySettings/stepBudgetBytes``, ``DiscoverySettings/firstSightsPerStep``);
    /// when something is left, the next call does not wait.
    /// - Parameters:
    ///   - readsNewcomers: whether sessions are read that never were; else they are named (``WatchStep/awaited``), since what
    ///     is stored of the first one may be long in coming.
    ///   - holdBack: called when the wait is over, unless the last step left something to read; what comes until
    ///     it returns is read in the same step.
    package func next(
        timeout: Duration, readsNewcomers: Bool = true, holdBack: () -> Void = {}
    ) -> WatchStep {
        var step = WatchStep()
        inotify.wait(milliseconds: Self.milliseconds(waitingTime(atMost: timeout)))
        if queue.isEmpty { holdBack() }
        let look = lockReader.take()
        takeEvents()
        scanIfDue(&step)
        pollUnwatched()
        read(into: &step, readsNewcomers: readsNewcomers)
        refreshLiveness(after: look, into: &step)
        return step
    }

    /// Whether all that this session's files say is told by inotify.
    package func mode(of session: SessionID) -> DiscoveryReport.Mode { lastReport.mode(of: session) }

    /// Whether a look at the roots is under way, which may have passed what is new.
    package var isWalking: Bool { scanner.isWalking }

    private func waitingTime(atMost timeout: Duration) -> Duration {
        if !queue.isEmpty || !newcomers.isEmpty || scanner.isWalking { return .zero }
        let now = clock.now
        var due = min(lookDue, livenessRest.isEmpty ? livenessDue : livenessAllowed)
        if !looksDue.isEmpty { due = min(due, looksAllowed) }
        if isScanWanted { due = min(due, isScanUrgent && !isScanAhead ? now : scanAllowed) }
        if !polled.isEmpty { due = min(due, pollDue) }
        if !alive.isEmpty { due = min(due, aliveDue) }
        if let livenessSoon { due = min(due, livenessSoon.due) }
        for time in readAgain.values { due = min(due, time) }
        return max(.zero, min(timeout, due - now))
    }

    /// Rounded up, so that what is due at the end of the wait is due.
    private static func milliseconds(_ duration: Duration) -> Int32 {
        let (seconds, attoseconds) = duration.components
        let rounded = (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
        return Int32(clamping: min(seconds, 1_000_000) * 1000 + rounded)
    }
}
