import RalphWire

/// Looks at what the files of sessions say.
///
/// Reading them is waited for, and answers and other looks go on meanwhile; what was read is taken in at once with what is
/// known of the session then.
extension QuestionBook {
    /// Sessions whose files are read at once.
    private static let width = 64
    /// How long until files that were not known are looked at again, milliseconds.
    private static let silentPause: Int64 = 1000

    /// Reads the files of `sessions`. Each is to go through ``look(_:now:)``.
    func readFiles(of sessions: Set<SessionID>) async -> [QuestionReads.Read] {
        guard !sessions.isEmpty else { return [] }
        let begun = sessions.map { (underWay.begin($0), table.hasOpen($0)) }
        return await withTaskGroup(of: QuestionReads.Read.self) { [ports] group in
            var reads: [QuestionReads.Read] = []
            for (index, (read, hasOpen)) in begun.enumerated() {
                if index >= Self.width, let read = await group.next() { reads.append(read) }
                group.addTask {
                    var read = read
                    read.files = await ports.files(read.session, hasOpen)
                    return read
                }
            }
            for await read in group { reads.append(read) }
            return reads
        }
    }

    func look(_ read: QuestionReads.Read, now: Int64) -> [QuestionEffect] {
        let session = read.session
        guard let files = underWay.end(read) else { return leave(session, now: now) }
        guard var facts = ports.facts(session, table.hasOpen(session)) else {
            silent.remove(session)
            guard isScanOver, table.hasOpen(session) else { return [] }
            return table.noteUnknown(session, isRemoved: files.isRemoved)
        }
        // It has come to be known meanwhile: what was not read there says nothing.
        guard !files.isOfUnknown else { return leave(session, now: now) }
        silent.remove(session)
        if facts.areRowsKnown { seen.insert(session) }
        facts.mayBeUnread = heldUntil != nil
        facts.web = files.web
        facts.telegramAskedAt = files.telegramAskedAt
        return table.observe(session, facts, now: now)
    }

    /// What is open stays as it is until more is known.
    private func leave(_ session: SessionID, now: Int64) -> [QuestionEffect] {
        silent.insert(session)
        table.lookSoon(session, now: now, pause: Self.silentPause)
        return []
    }

    /// Finds out whether the files can be known now, and could not before: then those of all open questions are read first.
    func hasCaughtUp(at now: Int64) -> Bool {
        guard isScanOver, ports.canStore() else {
            heldUntil = .max
            return false
        }
        guard let until = heldUntil else { return false }
        guard until != .max else {
            heldUntil = now + Self.catchingUp
            return false
        }
        // The clock may have been set meanwhile.
        return until <= now || until > now + Self.catchingUp
    }
}
