import GRDB
import RalphWire

/// Numbers events and writes them: what has to be known between two appends.
///
/// Numbers are given inside the transaction and taken back if it fails.
struct StoreWriter: Sendable {
    /// The numbers of one session.
    private struct Session {
        let key: Int64
        var head = FeedHead()
        var stretch = ArchiveStretch()
    }

    /// What became of one append.
    struct Numbered: Sendable {
        let firstSeq: Int64
        let firstGlobalID: Int64
        /// The head of the session behind it.
        let head: FeedHead
    }

    private let ring: Int
    private let stride: Int
    private var sessions: [Session] = []
    private var indices: [SessionID: Int] = [:]
    private var globalHead: Int64 = 0
    /// The key of the session that the newest event is of; `nil` after opening.
    private var newestSession: Int64?
    private var pruning = GlobalIndexPruning()
    /// What the sessions were before the transaction at hand, oldest last to be put back.
    private var undo: [(index: Int, session: Session)] = []

    /// A writer that goes on where the `known` sessions are.
    init(configuration: FeedConfiguration, known: [KnownSession]) {
        ring = configuration.ring
        stride = max(1, configuration.archiveStride)
        for session in known {
            indices[session.id] = sessions.count
            sessions.append(Session(key: session.key, head: session.head))
            globalHead = max(globalHead, session.head.lastGlobalID)
        }
    }

    /// Writes `appends` in one transaction.
    ///
    /// - Throws: whatever SQLite reports; nothing is stored and nothing numbered then.
    mutating func write(_ appends: [SessionAppend], on db: Database) throws -> [Numbered] {
        let before = (globalHead, newestSession, pruning, sessions.count)
        undo.removeAll(keepingCapacity: true)
        if db.isInsideTransaction { try SQLStatement("ROLLBACK", on: db).run() }
        try SQLStatement("BEGIN IMMEDIATE", on: db).run()
        do {
            var numbered: [Numbered] = []
            numbered.reserveCapacity(appends.count)
            for append in appends { numbered.append(try write(append, on: db)) }
            try pruning.run(on: db)
            try SQLStatement("COMMIT", on: db).run()
            return numbered
        } catch {
            // Some errors end the transaction by themselves (sqlite.org/lang_transaction.html). A ROLLBACK
            // that fails is made up for by the next append; `error` is what counts.
            if db.isInsideTransaction { try? SQLStatement("ROLLBACK", on: db).run() }
            for (index, session) in undo.reversed() { sessions[index] = session }
            (globalHead, newestSession, pruning) = (before.0, before.1, before.2)
            forgetSessions(from: before.3, of: appends)
            throw error
        }
    }

    private mutating func write(_ append: SessionAppend, on db: Database) throws -> Numbered {
        let rows = RowWriter(db: db, ring: ring)
        let index: Int
        var isNew = false
        if let known = indices[append.id] {
            index = known
        } else {
            (index, isNew) = (sessions.count, true)
            let key = try rows.insertSession(append.id, directory: append.directory)
            sessions.append(Session(key: key))
            indices[append.id] = index
        }
        var session = sessions[index]
        undo.append((index, session))
        let numbered = Numbered(
            firstSeq: session.head.last + 1, firstGlobalID: globalHead + 1,
            head: head(of: session, after: append.batch))
        if !append.batch.isEmpty {
            try rows.insertEvents(append.batch, session: session.key, numbered: numbered)
            try noteArchive(append.batch, session: &session, firstSeq: numbered.firstSeq, rows)
            if newestSession != session.key {
                try rows.insertGlobalStretch(numbered.firstGlobalID, session.key, numbered.firstSeq)
                pruning.noteInsert()
            }
            newestSession = session.key
            globalHead = numbered.head.lastGlobalID
            session.head = numbered.head
        }
        if isNew || !append.batch.isEmpty { try rows.upsertHead(session.head, session: session.key) }
        try rows.upsertCheckpoints(append.checkpoints, session: session.key, seq: session.head.last)
        if let state = append.state { try rows.upsertState(state, session: session.key) }
        if !append.figures.isEmpty { try rows.addFigures(append.figures, session: append.id) }
        sessions[index] = session
        return numbered
    }

    /// The head that `session` has when `batch` is stored.
    private func head(of session: Session, after batch: EventBatch) -> FeedHead {
        guard let newest = batch.items.last else { return session.head }
        var head = session.head
        head.last += Int64(batch.count)
        head.firstKept = max(head.firstKept, head.last - Int64(ring) + 1)
        head.lastGlobalID = globalHead + Int64(batch.count)
        head.newestTimestamp = newest.timestamp
        return head
    }

    /// Writes a row for every stretch that begins inside `batch`.
    private func noteArchive(
        _ batch: EventBatch, session: inout Session, firstSeq: Int64, _ rows: RowWriter
    ) throws {
        session.stretch.beginBatch()
        for (index, item) in batch.items.enumerated()
        where session.stretch.begins(with: item, of: batch, stride: stride) {
            let context = ArchiveStretch.context(of: item, in: batch)
            try rows.insertArchive(
                context, offset: item.offset, session: session.key, seq: firstSeq + Int64(index))
        }
    }

    /// Takes back the sessions that the failed `appends` brought.
    private mutating func forgetSessions(from count: Int, of appends: [SessionAppend]) {
        for append in appends {
            if let index = indices[append.id], index >= count { indices[append.id] = nil }
        }
        sessions.removeLast(sessions.count - count)
    }
}
