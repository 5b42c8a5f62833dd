import RalphSessions
import RalphWire
import Synchronization

/// What others ask of the ingest thread; from any thread, without waiting for it but where said.
extension Ingest {
    /// Has an event made of `note`, or what else it means; returns when that is stored and published.
    ///
    /// - Returns: the session's newest seq then.
    /// - Throws: ``ControlNoteProblem``; after `timeout` the note still waits and is not lost.
    @discardableResult
    func post(_ note: ControlNote, to session: SessionID) async throws(ControlNoteProblem) -> Int64 {
        try await ask(note, session)
    }

    /// The same without waiting, as while nothing can be stored or reading does not come on: what is left waits here, as
    /// what was given up waiting for does.
    func leave(_ note: ControlNote, to session: SessionID) throws(ControlNoteProblem) {
        _ = try inbox.add(note, to: session)
        wake()
    }

    /// Has an event made of `note`; returns when that is stored, or when it is known to wait for the store or for files.
    ///
    /// - Throws: ``ControlNoteProblem`` but for `timeout`: the note is lost.
    func tell(_ note: ControlNote, to session: SessionID) async throws(ControlNoteProblem) {
        if catalogue.isBlind() { return try leave(note, to: session) }
        do throws(ControlNoteProblem) {
            try await post(note, to: session)
        } catch {
            // What waits is not lost, and must not be given again.
            if error != .timeout { throw error }
        }
    }

    /// Has what is left in the files of `session` read; returns when that is stored and published.
    ///
    /// - Throws: as ``post(_:to:)``.
    func readToEnd(of session: SessionID) async throws(ControlNoteProblem) { _ = try await ask(nil, session) }

    /// The same without waiting, as while reading does not come on: what is noted next comes behind it.
    func leaveToRead(_ session: SessionID) throws(ControlNoteProblem) {
        try inbox.add(nil, to: session).settle(.failure(.timeout))
        wake()
    }

    private func ask(_ note: ControlNote?, _ session: SessionID) async throws(ControlNoteProblem) -> Int64 {
        let landing = try inbox.add(note, to: session)
        wake()
        let result = await landing.value(within: settings.noteDeadline, otherwise: .failure(.timeout))
        if case .failure(.timeout) = result { inbox.counters.late.wrappingAdd(1, ordering: .relaxed) }
        return try result.get()
    }

    /// Has the roots looked at soon: something new is there.
    func requestScan() {
        isScanRequested.store(true, ordering: .releasing)
        wake()
    }

    /// Waits for the row of `session` whose `id` is `marker`; to be called before the row is written.
    func expectEcho(_ marker: String, _ session: SessionID) -> ExpectedEcho {
        echoes.expect(marker, in: session)
    }
}

/// The notes of one session that were made a read, and who waits for them.
struct PostedNotes {
    let read: SessionRead
    let landings: [Landing<Result<Int64, ControlNoteProblem>>]

    init(_ read: SessionRead, of entries: [ControlNoteInbox.Entry]) {
        self.read = read
        landings = entries.flatMap(\.landings)
    }

    /// Tells those who wait.
    func settle(_ result: Result<Int64, ControlNoteProblem>) {
        for landing in landings { landing.settle(result) }
    }
}

/// On the ingest thread.
extension Ingest {
    /// Makes reads of the notes that wait. Those for sessions that were not found yet wait on, until they are
    /// read for the first time, or a scan has shown that they are not there.
    ///
    /// - Parameter scans: how many scans there have been.
    func takeNotes(to watcher: SessionWatcher, scans: Int) -> [PostedNotes] {
        let asked = inbox.take()
        guard !asked.isEmpty else { return [] }
        var posted: [PostedNotes] = []
        var waiting: [ControlNoteInbox.Entry] = []
        var gone: Set<SessionID> = []
        // What comes behind a request to read waits until all is read.
        var behindRead: Set<SessionID> = []
        for entries in Self.bySession(asked).flatMap(Self.groups) {
            let session = entries[0].session
            if behindRead.contains(session) {
                waiting += entries
                continue
            }
            let notes = entries.compactMap(\.note)
            switch notes.isEmpty ? watcher.readToEnd(of: session) : watcher.note(notes, to: session) {
            case .read(let read) where notes.isEmpty && read.hasMore:
                posted.append(PostedNotes(read, of: []))
                waiting += entries
                behindRead.insert(session)
            case .read(let read): posted.append(PostedNotes(read, of: entries))
            case .notYet: waiting += entries
            case .unknown:
                let (missing, awaited) = split(entries, scans: scans, isWalking: watcher.isWalking)
                waiting += awaited
                // What is stored does not tell yet what was noted in this step.
                if gone.contains(session) {
                    waiting += missing
                } else if let read = noteGone(missing, of: session, by: watcher) {
                    gone.insert(session)
                    posted.append(PostedNotes(read, of: missing))
                } else {
                    refuse(missing)
                }
            }
        }
        if waiting.contains(where: { $0.scansWhenMissed != nil }) { watcher.requestScan() }
        inbox.giveBack(waiting)
        return posted
    }

    /// What is asked of each session, in the order in which sessions were first asked.
    private static func bySession(_ entries: [ControlNoteInbox.Entry]) -> [[ControlNoteInbox.Entry]] {
        var sessions: [SessionID] = []
        var bySession: [SessionID: [ControlNoteInbox.Entry]] = [:]
        for entry in entries {
            if bySession[entry.session] == nil { sessions.append(entry.session) }
            bySession[entry.session, default: []].append(entry)
        }
        return sessions.map { bySession[$0] ?? [] }
    }

    /// What is asked of one session, in order: notes that follow each other, and requests to read.
    private static func groups(_ entries: [ControlNoteInbox.Entry]) -> [[ControlNoteInbox.Entry]] {
        var groups: [[ControlNoteInbox.Entry]] = []
        for entry in entries {
            if let last = groups.last?.last, (last.note == nil) == (entry.note == nil) {
                groups[groups.count - 1].append(entry)
            } else {
                groups.append([entry])
            }
        }
        return groups
    }

    /// The notes for a session that was not found: those that a scan did not find it for either, and those that wait for
    /// one.
    private func split(
        _ entries: [ControlNoteInbox.Entry], scans: Int, isWalking: Bool
    ) -> (missing: [ControlNoteInbox.Entry], awaited: [ControlNoteInbox.Entry]) {
        var (missing, awaited): ([ControlNoteInbox.Entry], [ControlNoteInbox.Entry]) = ([], [])
        for var entry in entries {
            if let missed = entry.scansWhenMissed, scans > missed {
                missing.append(entry)
            } else {
                // The scan that is under way may have passed it.
                entry.scansWhenMissed = entry.scansWhenMissed ?? scans + (isWalking ? 1 : 0)
                awaited.append(entry)
            }
        }
        return (missing, awaited)
    }

    /// A run may outlive its session's directory, and what becomes of it is told all the same.
    ///
    /// - Returns: `nil` where nothing was noted, or of no session that was ever stored.
    private func noteGone(
        _ entries: [ControlNoteInbox.Entry], of session: SessionID, by watcher: SessionWatcher
    ) -> SessionRead? {
        let notes = entries.compactMap(\.note)
        guard !notes.isEmpty, let directory = catalogue.directory(of: session) else { return nil }
        // Nobody takes what it asks the store for.
        defer { _ = takeStored(of: session) }
        return watcher.note(notes, toGone: directory)
    }

    private func refuse(_ entries: [ControlNoteInbox.Entry]) {
        inbox.counters.unknown.wrappingAdd(entries.count, ordering: .relaxed)
        for landing in entries.flatMap(\.landings) { landing.settle(.failure(.unknownSession)) }
    }
}
