import GRDB
import RalphWire

/// Writes numbered appends into the tables: what has to be known between two transactions.
struct StoreWriter: Sendable {
    /// What is known of one session.
    struct Session {
        let key: Int64
        var stretch = ArchiveStretch()
    }

    /// What the appends of one session come to; written once, however many there are.
    private struct Outcome {
        var head: FeedHead
        var isHeadNew = false
        var checkpoints: [String: [UInt8]] = [:]
        var state: [UInt8]?

        var hasRemovals: Bool { checkpoints.values.contains { $0.isEmpty } }
    }

    let ring: Int
    private let stride: Int
    var sessions: [Session] = []
    private(set) var indices: [SessionID: Int] = [:]
    /// The key of the session that the newest event is of; `nil` after opening.
    private var newestSession: Int64?
    private var pruning = GlobalIndexPruning()
    /// What is removed before the transaction that is to come.
    var removals: [PlannedRemoval] = []
    /// What the sessions were before the transaction at hand, oldest last to be put back.
    private var undo: [(index: Int, session: Session)] = []

    /// A writer that goes on where the `known` sessions are.
    init(ring: Int, stride: Int, known: [KnownSession]) {
        self.ring = ring
        self.stride = max(1, stride)
        for session in known {
            indices[session.id] = sessions.count
            sessions.append(Session(key: session.key))
        }
    }

    /// Writes `appends` in one transaction, and that the tables have the journal up to `journal` then.
    ///
    /// - Parameter pace: when to rest between rows.
    /// - Returns: how many sessions they are of.
    /// - Throws: whatever SQLite reports; nothing is stored then.
    mutating func write(
        _ appends: [NumberedAppend], journal: Int64, on db: Database, pace: inout WorkPace
    ) throws -> Int {
        let before = (newestSession, pruning, sessions.count)
        undo.removeAll(keepingCapacity: true)
        if db.isInsideTransaction { try SQLStatement("ROLLBACK", on: db).run() }
        try SQLStatement("BEGIN IMMEDIATE", on: db).run()
        do {
            let rows = RowWriter(db: db, ring: ring)
            var outcomes: [Int: Outcome] = [:]
            for append in appends { try write(append, into: &outcomes, rows, &pace) }
            for (index, outcome) in outcomes {
                try write(outcome, session: sessions[index].key, rows, &pace)
                // The row of the current stretch may be gone with its file.
                if outcome.hasRemovals { sessions[index].stretch = ArchiveStretch() }
            }
            try pruning.run(on: db)
            try rows.updateJournal(journal)
            try SQLStatement("COMMIT", on: db).run()
            return outcomes.count
        } catch {
            // Some errors end the transaction by themselves (sqlite.org/lang_transaction.html). A ROLLBACK
            // that fails is made up for by the next append; `error` is what counts.
            if db.isInsideTransaction { try? SQLStatement("ROLLBACK", on: db).run() }
            for (index, session) in undo.reversed() { sessions[index] = session }
            (newestSession, pruning) = (before.0, before.1)
            forgetSessions(from: before.2, of: appends)
            throw error
        }
    }

    private mutating func write(
        _ numbered: NumberedAppend, into outcomes: inout [Int: Outcome], _ rows: RowWriter,
        _ pace: inout WorkPace
    ) throws {
        let append = numbered.append
        let index: Int
        if let known = indices[append.id] {
            index = known
        } else {
            index = sessions.count
            let key = try rows.insertSession(append.id, directory: append.directory)
            sessions.append(Session(key: key))
            indices[append.id] = index
            outcomes[index] = Outcome(head: numbered.head, isHeadNew: true)
        }
        let key = sessions[index].key
        var outcome = outcomes[index] ?? Outcome(head: numbered.head)
        outcome.head = numbered.head
        if !append.batch.isEmpty {
            undo.append((index, sessions[index]))
            try rows.insertEvents(of: numbered, session: key, pace: &pace)
            try noteArchive(append.batch, of: index, firstSeq: numbered.firstSeq, rows)
            if newestSession != key {
                try rows.insertGlobalStretch(numbered.firstGlobalID, key, numbered.firstSeq)
                pruning.noteInsert()
            }
            newestSession = key
            outcome.isHeadNew = true
        }
        outcome.checkpoints.merge(append.checkpoints) { $1 }
        if let state = append.state { outcome.state = state }
        if !append.figures.isEmpty { try rows.addFigures(append.figures, session: append.id) }
        outcomes[index] = outcome
    }

    private func write(
        _ outcome: Outcome, session key: Int64, _ rows: RowWriter, _ pace: inout WorkPace
    ) throws {
        if outcome.isHeadNew { try rows.upsertHead(outcome.head, session: key) }
        try rows.upsertCheckpoints(
            outcome.checkpoints, session: key, seq: outcome.head.last, removals: removals.compactMap(\.begun),
            pace: &pace)
        if let state = outcome.state { try rows.upsertState(state, session: key) }
    }

    /// Writes a row for every stretch that begins inside `batch`.
    private mutating func noteArchive(
        _ batch: EventBatch, of index: Int, firstSeq: Int64, _ rows: RowWriter
    ) throws {
        var stretch = sessions[index].stretch
        stretch.beginBatch()
        let key = sessions[index].key
        var begun: [RowWriter.Stretch] = []
        // The file whose first row is noted.
        var file: String?
        for (position, item) in batch.items.enumerated()
        where stretch.begins(with: item, of: batch, stride: stride) {
            let context = ArchiveStretch.context(of: item, in: batch)
            let seq = firstSeq + Int64(position)
            begun.append(RowWriter.Stretch(seq: seq, context: context, offset: item.offset))
            guard let context, context.file != file else { continue }
            try rows.insertBeginning(context, offset: item.offset, session: key, seq: seq)
            file = context.file
        }
        try rows.insertArchive(begun, session: key)
        sessions[index].stretch = stretch
    }

    /// Takes back the sessions that the failed `appends` brought.
    private mutating func forgetSessions(from count: Int, of appends: [NumberedAppend]) {
        for append in appends {
            if let index = indices[append.append.id], index >= count { indices[append.append.id] = nil }
        }
        sessions.removeLast(sessions.count - count)
    }
}
