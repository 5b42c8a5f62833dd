package import RalphWire

/// What comes from the control side instead of from files.
extension SessionWatcher {
    /// What became of notes.
    package enum NoteOutcome: Sendable {
        /// Stored behind the reads of the last step, it makes them events.
        case read(SessionRead)
        /// The session is found and will be read for the first time in one of the next steps.
        case notYet
        /// The last scan did not find the session.
        case unknown
    }

    /// Gives `notes` to a session, behind everything that was read of it so far.
    package func note(_ notes: [ControlNote], to id: SessionID) -> NoteOutcome {
        guard let session = followed[id] else { return .unknown }
        guard let tail = session.tail, tail.hasBegun else { return .notYet }
        let now = WallClock.milliseconds()
        let read = tail.note(notes, now: now)
        readAgain(id, at: read.readAgainAt, now: now)
        return .read(read)
    }

    /// Gives `notes` to a session whose directory is gone, on top of what was stored of it.
    ///
    /// - Returns: `nil` if it is there, or was never stored.
    package func note(_ notes: [ControlNote], toGone directory: SessionDirectory) -> SessionRead? {
        guard followed[directory.id] == nil, let saved = saved(directory.id), saved.state != nil else {
            return nil
        }
        let tail = SessionTail(
            session: DiscoveredSession(directory: directory), saved: saved, limits: tailLimits,
            logger: logger, pool: pool)
        return tail.note(notes, isLast: true, now: WallClock.milliseconds())
    }

    /// Reads what is left in the files of a session whose run nobody writes for any more: output first, and the end of
    /// the run behind it.
    package func readToEnd(of id: SessionID) -> NoteOutcome {
        guard let session = followed[id] else { return .unknown }
        guard let tail = session.tail, tail.hasBegun else { return .notYet }
        let now = WallClock.milliseconds()
        _ = session.takeChanges()
        let read = tail.read(changed: nil, isLast: true, budget: settings.stepBudgetBytes, now: now)
        if read.hasMore { enqueue(id, session) }
        readAgain(id, at: read.readAgainAt, now: now)
        return .read(read)
    }

    /// Has the next step look at the roots, for somebody who waits for what is new there; soon if the last look was asked
    /// for as well, and was made a moment ago.
    package func requestScan() { (isScanWanted, isScanUrgent) = (true, true) }
}
