import Hummingbird
import NIOCore
import RalphFeed
import RalphSessions
import RalphWire

/// What the session routes call: one function per answer.
struct SessionServices: Sendable {
    let feed: EventFeed
    let catalogue: SessionCatalogue
    let history: HistoryReader
    /// Reads the few newest events of the ring, beside whatever pages and workspaces are read.
    let newest: HistoryReader
    /// Whose turn it is to read a page.
    let turns: WorkTurns
    let clients: StreamClients
    let list: SessionList
    let threads: FileThreads
    let questions: QuestionBook
    /// Canonical paths of what no answer may show.
    let secrets: [String]

    /// The events that a client asks for with its status, and how many of them at most.
    typealias Missed = (window: HistoryReader.Window, limit: Int64)

    /// The session that the path names.
    func id(_ context: SessionRequestContext) throws -> SessionID {
        try catalogue.resolve(context.idSegment)
    }

    /// The iterations of the session that the path names; this answer's 404 repeats the id (http-contract 3.4). A log that
    /// cannot be read is not one without iterations.
    func iterations(_ context: SessionRequestContext) throws -> IterationList {
        do {
            let entry = try catalogue.require(id(context))
            if entry.state.iterations.isEmpty, let problem = entry.unreadableLog {
                throw Problem(status: 500, error: "failed_to_parse_events: \(problem)", code: .internalError)
            }
            return IterationList(entry)
        } catch let problem as Problem where problem == .sessionNotFound {
            throw Problem(
                status: 404, error: "session_not_found: \(context.idSegment.prefix(64))", code: .notFound)
        }
    }

    /// A page of history, when it is its turn.
    ///
    /// - Parameter isWhole: with what the soft cap of http-contract 4.3 cuts off.
    /// - Throws: ``Problem`` 503 when too many ask.
    func page(
        _ id: SessionID, _ window: HistoryReader.Window, before end: Int64? = nil, limit: Int64,
        isWhole: Bool = false
    ) async throws -> HistoryPage {
        let reader = isWhole ? history.whole : history
        return try await turns.run { try await reader.page(id, window, before: end, limit: limit) }
    }

    /// The status with the newest ten events, and the events of `missed` if a client asks for them.
    func status(_ id: SessionID, missed: Missed?) async throws -> ByteBuffer {
        var body: ByteBuffer
        if missed == nil {
            // Of this nothing waits for a turn.
            body = try await openStatus(id, missed: nil, until: .now).text
        } else {
            body = try await turns.run {
                try await openStatus(id, missed: missed, until: .now + FileThreads.limit).text
            }
        }
        body.writeString("}")
        return body
    }

    /// The status without its closing brace, and its `last_seq`.
    ///
    /// - Parameters:
    ///   - missed: read in the turn of whoever calls.
    ///   - deadline: how long that may take.
    private func openStatus(
        _ id: SessionID, missed: Missed?, until deadline: ContinuousClock.Instant
    ) async throws -> (text: ByteBuffer, last: Int64) {
        // First, and all events up to its last number: a client may take that for its cursor.
        let status = try object(id)
        let end = status.session.last_seq + 1
        let newest = try await newest.page(id, .before(end), limit: 10)
        let page: HistoryPage?
        if let missed {
            page = try await history.page(
                id, missed.window, before: end, limit: missed.limit, within: deadline - .now)
        } else {
            page = nil
        }
        var body = ByteBuffer(bytes: try JSONResponse.text(status).dropLast())
        body.writeString(#","recent_events":["#)
        body.writeImmutableBuffer(newest.events())
        body.writeString("]")
        if let page {
            body.writeString(#","events":["#)
            body.writeImmutableBuffer(page.events())
            body.writeString(
                #"],"has_more":\#(page.hasMore),"after_seq":\#(page.afterSeq),"gaps":[\#(page.gaps)]"#)
        }
        return (body, status.session.last_seq)
    }

    private func object(_ id: SessionID) throws -> SessionStatus {
        // The book knows which of the unanswered rows anybody still waits for.
        let pending = questions.pending(in: id)
        return SessionStatus(
            try catalogue.require(id), epoch: feed.epoch, report: catalogue.report, pending: pending,
            now: WallClock.milliseconds())
    }

    /// The same as ``status(_:missed:)`` and, under `session`, the conversation in the kept events up to its last number.
    func session(_ id: SessionID, missed: Missed?) async throws -> ByteBuffer {
        // Both pages in one turn and in the time of one: no answer may take twice as long (http-contract 1.1).
        let (status, page) = try await turns.run {
            let deadline = ContinuousClock.now + FileThreads.limit
            let opened = try await openStatus(id, missed: missed, until: deadline)
            let newest = try await history.page(
                id, .before(opened.last + 1), limit: HistoryReader.limits.upperBound,
                within: deadline - .now)
            return (opened, newest)
        }
        let messages = SessionMessages(session: id, page: page)
        var body = status.text
        body.writeString(#","session":"#)
        body.writeBytes(try JSONResponse.text(messages))
        body.writeString("}")
        return body
    }

    /// The scratchpad, where the last run's configuration or Ralph's habit has it; empty where there is none.
    ///
    /// - Throws: ``UnreadableFile`` for one that is there and cannot be read.
    func scratchpad(_ entry: CatalogueEntry) async throws -> TextObject {
        try await threads.run(at: entry.session.directory.workspace) { [secrets] in
            TextObject(
                try SessionFiles.scratchpad(
                    of: entry.session, configured: entry.runConfig?.scratchpad, secrets: secrets))
        }
    }
}
