import RalphSessions
import RalphWire
import Synchronization

/// All sessions that there are, for everybody who asks; written by the ingest thread alone.
final class SessionCatalogue: Sendable {
    private struct State {
        var entries: [SessionID: CatalogueEntry] = [:]
        var report: DiscoveryReport?
        var version: UInt64 = 0
        var storeProblem: String?
    }

    private let state = Mutex(State())
    /// What became of the notes that the ingest thread was given.
    let noteCounters = ControlNoteCounters()

    init() {}

    /// Moves with every change, so that answers made from the catalogue can be kept until it does.
    var version: UInt64 { state.withLock { $0.version } }

    /// The last scan.
    var report: DiscoveryReport? { state.withLock { $0.report } }

    /// Why nothing can be stored at present.
    var storeProblem: String? {
        get { state.withLock { $0.storeProblem } }
        set { state.withLock { $0.storeProblem = newValue } }
    }

    var count: Int { state.withLock { $0.entries.count } }

    func entry(_ id: SessionID) -> CatalogueEntry? { state.withLock { $0.entries[id] } }

    func directory(of id: SessionID) -> SessionDirectory? {
        state.withLock { $0.entries[id]?.session.directory }
    }

    /// All entries, running first, then paused, then by newest activity (http-contract 3.4).
    func entries(now: Int64) -> [CatalogueEntry] {
        let entries = state.withLock { Array($0.entries.values) }
        let ranked = entries.map { entry in (entry, rank: Self.rank(entry.standing(now: now).status)) }
        return ranked.sorted { left, right in
            if left.rank != right.rank { return left.rank < right.rank }
            let (leftTime, rightTime) = (left.0.state.lastEventAt ?? 0, right.0.state.lastEventAt ?? 0)
            return leftTime == rightTime ? left.0.session.id < right.0.session.id : leftTime > rightTime
        }.map(\.0)
    }

    /// The session that an id or a unique prefix of 8 or more digits in a path means.
    ///
    /// - Throws: ``Problem`` 404 for anything else, whatever bytes it is made of.
    func resolve(_ segment: Substring) throws(Problem) -> SessionID {
        guard let text = PercentEncoding.decode(segment), SessionID.isPrefix(text) else {
            throw .sessionNotFound
        }
        if let id = SessionID(text) {
            guard state.withLock({ $0.entries[id] != nil }) else { throw .sessionNotFound }
            return id
        }
        let matches = state.withLock { $0.entries.keys.filter { $0.rawValue.hasPrefix(text) } }
        guard matches.count < 2 else { throw .ambiguousSession(text) }
        guard let id = matches.first else { throw .sessionNotFound }
        return id
    }

    /// Changes one entry, making it first where `session` is new.
    func update(_ session: DiscoveredSession, _ change: (inout CatalogueEntry) -> Void) {
        state.withLock { state in
            var entry = state.entries[session.id] ?? CatalogueEntry(session: session)
            entry.session = session
            change(&entry)
            state.entries[session.id] = entry
            state.version &+= 1
        }
    }

    /// Changes an entry that exists.
    func update(_ id: SessionID, _ change: (inout CatalogueEntry) -> Void) {
        state.withLock { state in
            guard var entry = state.entries[id] else { return }
            state.entries[id] = nil  // so that the change copies nothing
            change(&entry)
            state.entries[id] = entry
            state.version &+= 1
        }
    }

    /// Keeps the result of a scan.
    func note(_ report: DiscoveryReport) {
        state.withLock { $0.report = report }
    }

    private static func rank(_ status: String) -> Int {
        switch status {
        case "running": 0
        case "paused": 1
        default: 2
        }
    }
}
