import Logging
import RalphWire

/// Reading what is new, and looking who is alive.
extension SessionWatcher {
    /// Looks at sessions of which inotify does not tell everything, a few in each step and for at most a fifth of the
    /// time: on a network mount each look may be a request.
    func pollUnwatched() {
        guard !polled.isEmpty else { return }
        let start = clock.now
        guard start >= pollDue else { return }
        if pollRest.isEmpty { pollRest = Array(polled) }
        let quiet = settings.quietPollInterval(sessions: polled.count)
        var looks = 0
        while looks < settings.pollsPerStep, let id = pollRest.popLast() {
            guard let session = followed[id], session.isPolled,
                alive.contains(id) || session.isPollDue(at: start, quiet: quiet)
            else { continue }
            looks += 1
            guard poll(id, session, at: start) else { continue }
            session.noteEverything()
            enqueue(id, session)
        }
        let end = clock.now
        pollDue = end + max(pollRest.isEmpty ? settings.pollInterval : .zero, (end - start) * 4)
    }

    /// Whether files of a polled session look different; then what follows from it is wanted.
    private func poll(_ id: SessionID, _ session: FollowedSession, at start: ContinuousClock.Instant) -> Bool
    {
        guard let different = session.poll(at: start) else { return false }
        // As with inotify, a file that only grows is no reason to look for sessions or runs.
        if different == .all {
            // Where inotify is silent the regular scan comes soon, and keeps nobody waiting.
            if session.reach == .nothing { isScanWanted = true }
            livenessWanted.insert(id)
        }
        return true
    }

    /// Reads sessions with something new, then new sessions, until the step's budget is used up.
    func read(into step: inout WatchStep, readsNewcomers: Bool) {
        let now = clock.now
        for (id, due) in readAgain where due <= now {
            readAgain[id] = nil
            guard let session = followed[id] else { continue }
            // Of these nobody tells whether there is something new by now.
            if session.isPolled { session.noteEverything() }
            enqueue(id, session)
        }
        var bytes = 0
        let waiting = queue
        queue = []
        var index = 0
        while index < waiting.count, bytes < settings.stepBudgetBytes {
            if let session = followed[waiting[index]] { bytes += read(waiting[index], session, &step) }
            index += 1
        }
        // Those not read yet come before those that have more.
        queue = Array(waiting[index...]) + queue
        if readsNewcomers {
            readNewcomers(bytes, &step)
        } else {
            step.awaited = newcomers.compactMap { followed[$0]?.facts }
        }
        if !looksDue.isEmpty, now >= looksAllowed { lookAtFiles(&step) }
    }

    /// Covers what inotify did not tell: sessions whose files look different are read, a few in each step, so
    /// that those that inotify does tell of never wait for all others.
    private func lookAtFiles(_ step: inout WatchStep) {
        let start = clock.now
        var mayBeSlow = false
        for id in looksDue.suffix(settings.looksPerStep) {
            guard let session = followed[id] else { continue }
            mayBeSlow = mayBeSlow || session.isPolled
            let isDifferent =
                session.isPolled ? poll(id, session, at: start) : session.lookAtFiles(.growing) != nil
            guard isDifferent || session.isPolled, session.tail != nil else { continue }
            session.noteEverything()
            if !session.isQueued { _ = read(id, session, &step) }
        }
        looksDue.removeLast(min(looksDue.count, settings.looksPerStep))
        guard mayBeSlow else { return }
        let end = clock.now
        looksAllowed = end + (end - start) * 4
    }

    private func readNewcomers(_ bytes: Int, _ step: inout WatchStep) {
        var bytes = bytes
        var count = 0
        // At least one each time, however busy the others are.
        while count < newcomers.count, count < max(1, settings.firstSightsPerStep),
            count == 0 || bytes < settings.stepBudgetBytes
        {
            let id = newcomers[count]
            count += 1
            guard let session = followed[id] else { continue }
            session.tail = SessionTail(
                session: session.facts, saved: saved(id), limits: tailLimits, logger: logger, pool: pool,
                configurations: settings.configurations)
            step.found.append(session.facts)
            logger.debug("Found a session", metadata: ["session.id": "\(id)"])
            bytes += read(id, session, &step, isFirst: true)
        }
        newcomers.removeFirst(count)
    }

    /// Reads one session; gives about how many bytes came of it.
    ///
    /// - Parameter isFirst: what is known of it from before is news even if nothing was added meanwhile.
    private func read(
        _ id: SessionID, _ session: FollowedSession, _ step: inout WatchStep, isFirst: Bool = false
    ) -> Int {
        session.isQueued = false
        guard let tail = session.tail else { return 0 }
        let now = WallClock.milliseconds()
        let (changed, isGrowth) = session.takeChanges()
        // Nobody will look again at the time when it would be read.
        let read = tail.read(
            changed: changed, isGrowth: isGrowth, isLast: session.isLeaving,
            budget: settings.sessionBudgetBytes, now: now)
        if read.hasMore {
            enqueue(id, session)
        } else if session.isLeaving {
            forget(id, session)
            step.gone.append(id)
            logger.debug("A session is gone", metadata: ["session.id": "\(id)"])
        } else {
            readAgain(id, at: read.readAgainAt, now: now)
        }
        let isNews =
            isFirst || !read.batch.isEmpty || !read.checkpoints.isEmpty || read.stateChanged
            || read.problemsChanged
        if isNews { step.reads.append(read) }
        return read.batch.bytes.count
    }

    /// Has a session be read again, though no file changes; both times in milliseconds since 1970.
    func readAgain(_ id: SessionID, at time: Int64?, now: Int64) {
        guard let time else { return }
        // Bounded both ways: the clock of the wall may jump.
        let due = clock.now + .milliseconds(min(max(time - now, 1), 1000))
        readAgain[id] = min(readAgain[id] ?? due, due)
    }

    /// Looks at the liveness of those whose turn it is.
    ///
    /// Who is found is shown with it. The others wait for a look at the system's locks that goes on beside this thread, and
    /// that began after it was their turn.
    /// - Parameter look: one that was over before this step read, so that what a run wrote before its end is told first.
    func refreshLiveness(after look: LockReader.Look?, into step: inout WatchStep) {
        if let look {
            probe.use(look.locks)
            newcomersSeenInLook = newcomersSeenAsked
            lookWhoLives(livenessAsked, &step)
            livenessAsked = []
            if isEverybodyAsked, livenessRest.isEmpty { livenessRest = Array(followed.keys) }
            isEverybodyAsked = false
        }
        lookWhoElseLives(&step)
        noteLivenessDue()
        lookWhoAmongFoundLives(&step)
        guard isEverybodyDue || !livenessWanted.isEmpty, lockReader.ask(wakeup) else { return }
        newcomersSeenAsked = newcomersSeen
        (livenessAsked, livenessWanted) = (livenessWanted, [])
        (isEverybodyAsked, isEverybodyDue) = (isEverybodyDue, false)
    }

    /// Waits for the system's locks only where the last look at them began before somebody was watched: of what comes behind
    /// it inotify tells, and with very many newcomers the waits of all steps would be a fifth of a start.
    private func lookWhoAmongFoundLives(_ step: inout WatchStep) {
        guard !step.found.isEmpty else { return }
        let found = step.found.map(\.id)
        if newcomersSeenInLook < newcomersSeen || !polled.isDisjoint(with: found) {
            probe.refresh()
            newcomersSeenInLook = newcomersSeen
            livenessAsked.subtract(found)
        }
        lookWhoLives(found, &step)
    }

    /// Looks at a few of those that are left of a look at all; on a network mount for at most a fifth of the time.
    private func lookWhoElseLives(_ step: inout WatchStep) {
        let start = clock.now
        guard !livenessRest.isEmpty, start >= livenessAllowed else { return }
        lookWhoLives(livenessRest.suffix(settings.liveLooksPerStep), &step)
        livenessRest.removeLast(min(livenessRest.count, settings.liveLooksPerStep))
        guard !polled.isEmpty else { return }
        let end = clock.now
        livenessAllowed = end + (end - start) * 4
    }

    private func noteLivenessDue() {
        let now = clock.now
        if let soon = livenessSoon, now >= soon.due {
            livenessWanted.formUnion(soon.sessions)
            livenessSoon = nil
        }
        if now >= aliveDue {
            livenessWanted.formUnion(alive)
            aliveDue = now + .seconds(1)
        }
        if now >= livenessDue, livenessRest.isEmpty {
            isEverybodyDue = true
            probe.sweep()
            livenessDue = now + .seconds(5)
        }
    }

    private func lookWhoLives(_ sessions: some Sequence<SessionID>, _ step: inout WatchStep) {
        for id in sessions {
            // A session that was not reported as found yet has no liveness to report.
            guard let session = followed[id], session.tail != nil else { continue }
            let liveness = probe.liveness(of: session.facts)
            if liveness.lockHeld { alive.insert(id) } else { alive.remove(id) }
            guard session.liveness != liveness else { continue }
            session.liveness = liveness
            step.liveness[id] = liveness
        }
    }
}
