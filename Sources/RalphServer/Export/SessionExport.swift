import NIOCore
import RalphFeed
import RalphSessions
import RalphWire

/// Writes a session's numbered events, ring and archive, as one file with a hash chain; in pages, as each
/// is made in memory.
struct SessionExport: Sendable {
    /// Bytes after which a page ends; one event more may be in it.
    static let maximumBytes = 8 << 20
    /// Events in a page.
    static let maximumEvents = 20_000
    /// Pages that are made at once; further ones wait.
    static let places = 2
    /// Events that are read at a time.
    private static let stride: Int64 = 250
    /// How often reading is tried again where the ring moves on meanwhile.
    private static let attempts = 3

    let feed: EventFeed
    let catalogue: SessionCatalogue
    let history: HistoryReader
    let turns: WorkTurns

    /// One page as a download.
    struct File: Sendable {
        let name: String
        let body: ByteBuffer
    }

    /// - Throws: ``Problem`` 409 for a cursor of another store, 503 when too many ask; `StoreError` where the whole of a
    ///   cut text cannot be looked for.
    func file(_ entry: CatalogueEntry, _ query: ExportQuery) async throws -> File {
        guard query.epoch == nil || query.epoch == feed.epoch else { throw Problem.epochChanged }
        return try await turns.run {
            let now = WallClock.milliseconds()
            return File(
                name: "session-\(entry.session.id)-\(FileStamp.text(now, "T"))Z.ndjson",
                body: try await body(entry, query, now: now))
        }
    }

    private func body(_ entry: CatalogueEntry, _ query: ExportQuery, now: Int64) async throws -> ByteBuffer {
        let id = entry.session.id
        var body = ExportBody(
            after: query.after, chain: query.chain, maximumBytes: Self.maximumBytes,
            maximumEvents: Int(query.limit))
        let session = SessionObject(entry, epoch: feed.epoch, report: catalogue.report, now: now)
        body.begin(
            try JSONResponse.text(
                ExportHeader(entry, session: session, query: query, now: now)))
        let last = entry.head.last
        var attempts = 0
        while body.through < last, !body.isFull, attempts < Self.attempts {
            let before = body.through
            let room = min(Self.stride, last - before, query.limit - Int64(body.events))
            body.add(try await history.exact.page(id, .after(before), limit: room))
            attempts = body.through == before ? attempts + 1 : 0
        }
        let isCut = body.through < last
        let trailer = ExportTrailer(
            events: body.events, gaps: body.gaps, last_seq: body.through, truncated: isCut)
        let through = body.through
        body.end(
            try JSONResponse.text(trailer),
            next: isCut ? { query.next(after: through, chain: $0, epoch: feed.epoch) } : nil)
        return body.buffer
    }
}

extension Problem {
    /// The store has begun anew since the pages before.
    static let epochChanged = Problem(
        status: 409, error: "epoch_changed", code: .conflict,
        details: "The numbers are those of another store; begin the export anew.")
}
