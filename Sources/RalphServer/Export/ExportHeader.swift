import RalphSessions
import RalphWire

/// The first line of an export. Member names are the wire's.
struct ExportHeader: Encodable, Sendable {
    /// What writes exports.
    struct Server: Encodable, Sendable {
        let name = "ralph-mobile-server"
        let version = ServerVersion.text
    }

    let format = "ralph-session-export"
    let version = 1
    let session_id: String
    let epoch: String
    /// The oldest number that there ever was: 1, or 0 while there is none.
    let first_seq: Int64
    let last_seq: Int64
    /// The number before this page.
    let after_seq: Int64
    /// The last hash of the page before this one; 64 zeros for the first.
    let chain: String
    let exported_at: String
    let server = Server()
    let session: SessionObject
    let iterations: [IterationList.Iteration]

    init(_ entry: CatalogueEntry, session: SessionObject, query: ExportQuery, now: Int64) {
        session_id = entry.session.id.rawValue
        epoch = session.epoch
        first_seq = min(1, session.last_seq)
        last_seq = session.last_seq
        after_seq = query.after
        chain = query.chain.text
        exported_at = Timestamp.text(now)
        self.session = session
        iterations = IterationList(entry).iterations
    }
}
