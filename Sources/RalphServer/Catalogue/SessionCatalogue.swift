import RalphSessions
import RalphWire
import Synchronization

/// All sessions that there are, for everybody who asks; written by the ingest thread, but for
/// the overlays, which are control's.
final class SessionCatalogue: Sendable {
    struct State {
        fileprivate var entries: [SessionID: CatalogueEntry] = [:]
        fileprivate var report: DiscoveryReport?
        fileprivate var version: UInt64 = 0
        fileprivate var placesVersion: UInt64 = 0
        fileprivate var storeProblem: String?
        /// Also of sessions that no scan has found yet.
        fileprivate var overlays: [SessionID: RunOverlay] = [:]

        /// Changes an entry that exists.
        mutating func update(_ id: SessionID, _ change: (inout CatalogueEntry) -> Void) {
            guard let index = entries.index(forKey: id) else { return }
            let wasGone = entries.values[index].isGone
            change(&entries.values[index])  // in its place: nothing is copied
            if wasGone != entries.values[index].isGone { placesVersion &+= 1 }
            version &+= 1
        }
    }

    private let state = Mutex(State())
    /// What became of the notes that the ingest thread was given.
    let noteCounters = ControlNoteCounters()
    /// What the ingest thread is at.
    let turn: IngestTurn
    private let lateFirstLook = Atomic(false)

    init(turn: IngestTurn = IngestTurn()) { self.turn = turn }

    /// Moves with every change, so that answers made from the catalogue can be kept until it does.
    var version: UInt64 { state.withLock { $0.version } }

    /// Moves when a session comes, goes or comes back, and not with their events.
    var placesVersion: UInt64 { state.withLock { $0.placesVersion } }

    /// The last scan.
    var report: DiscoveryReport? { state.withLock { $0.report } }

    /// Why nothing can be stored at present.
    var storeProblem: String? {
        get { state.withLock { $0.storeProblem } }
        set { state.withLock { $0.storeProblem = newValue } }
    }

    /// Whether the first look at the roots is not over, and has taken too long for the server to wait for it: what is not
    /// here may be there.
    var isFirstLookLate: Bool {
        get { lateFirstLook.load(ordering: .acquiring) }
        set { lateFirstLook.store(newValue, ordering: .releasing) }
    }

    /// Whether the ingest thread has waited too long for files, as on a file system that does not answer; in a first look
    /// at the roots that is awaited, and while nothing can be stored, it is kept by that.
    ///
    /// - Parameter now: by ``UptimeClock/nanoseconds()``.
    func isReadingStuck(at now: Int64 = UptimeClock.nanoseconds()) -> Bool {
        guard turn.isOverdue(at: now) else { return false }
        let isKnown = state.withLock { (report: $0.report != nil, store: $0.storeProblem == nil) }
        return isKnown.store && (isKnown.report || isFirstLookLate)
    }

    /// Whether nothing of what runs write comes in, since it cannot be stored or reading does not come on.
    ///
    /// - Parameter now: by ``UptimeClock/nanoseconds()``.
    func isBlind(at now: Int64 = UptimeClock.nanoseconds()) -> Bool {
        storeProblem != nil || isReadingStuck(at: now)
    }

    /// Sessions that are shown.
    var count: Int { state.withLock { $0.entries.values.count(where: \.isShown) } }

    func entry(_ id: SessionID) -> CatalogueEntry? { state.withLock { $0.entries[id] } }

    /// ``entry(_:)`` of a session that a request is about.
    ///
    /// - Throws: ``Problem`` 404.
    func require(_ id: SessionID) throws(Problem) -> CatalogueEntry {
        guard let entry = entry(id) else { throw .sessionNotFound }
        return entry
    }

    /// The sessions that a process holds.
    var held: [SessionID] {
        state.withLock { $0.entries.values.filter(\.liveness.lockHeld).map(\.session.id) }
    }

    /// How many runs the session has had; `nil`: it is not known.
    func runs(of id: SessionID) -> Int? { state.withLock { $0.entries[id]?.state.runs } }

    func directory(of id: SessionID) -> SessionDirectory? {
        state.withLock { $0.entries[id]?.session.directory }
    }

    /// All entries, running first, then paused, then by newest activity (http-contract 3.4).
    func entries(now: Int64) -> [CatalogueEntry] {
        let entries = state.withLock { $0.entries.values.filter(\.isShown) }
        let ranked = entries.map { entry in (entry, rank: Self.rank(entry.standing(now: now).mode)) }
        return ranked.sorted { left, right in
            if left.rank != right.rank { return left.rank < right.rank }
            let (leftTime, rightTime) = (left.0.state.lastEventAt ?? 0, right.0.state.lastEventAt ?? 0)
            return leftTime == rightTime ? left.0.session.id < right.0.session.id : leftTime > rightTime
        }.map(\.0)
    }

    /// The workspace of the session that an id or its beginning means.
    ///
    /// - Throws: ``Problem`` 404.
    func workspace(of session: String) throws(Problem) -> String {
        try require(resolve(session[...])).session.directory.workspace
    }

    /// The session that an id or a unique prefix of 8 or more digits in a path means.
    ///
    /// - Throws: ``Problem`` 404 for anything else, whatever bytes it is made of.
    func resolve(_ segment: Substring) throws(Problem) -> SessionID {
        guard let text = PercentEncoding.decode(segment), SessionID.isPrefix(text) else {
            throw .sessionNotFound
        }
        if let id = SessionID(text) {
            guard state.withLock({ $0.entries[id]?.isShown == true }) else { throw .sessionNotFound }
            return id
        }
        let matches = state.withLock { state in
            state.entries.filter { $0.key.rawValue.hasPrefix(text) && $0.value.isShown }.map(\.key)
        }
        guard matches.count < 2 else { throw .ambiguousSession(text) }
        guard let id = matches.first else { throw .sessionNotFound }
        return id
    }

    /// Makes the entry of a session that has none.
    func insert(_ session: DiscoveredSession, _ change: (inout CatalogueEntry) -> Void) {
        self.change(session, ifKnown: false, change)
    }

    /// Changes one entry, making it first where `session` is new.
    func update(_ session: DiscoveredSession, _ change: (inout CatalogueEntry) -> Void) {
        self.change(session, ifKnown: true, change)
    }

    private func change(
        _ session: DiscoveredSession, ifKnown: Bool, _ change: (inout CatalogueEntry) -> Void
    ) {
        state.withLock { state in
            let known = state.entries[session.id]
            guard ifKnown || known == nil else { return }
            var entry = known ?? CatalogueEntry(session: session)
            entry.session = session
            entry.control = state.overlays[session.id]
            change(&entry)
            if known?.isGone != entry.isGone { state.placesVersion &+= 1 }
            state.entries[session.id] = entry
            state.version &+= 1
        }
    }

    /// Changes several entries at once for everybody who asks.
    func update(_ changes: (inout State) -> Void) { state.withLock { changes(&$0) } }

    /// Shows what control knows of a session's run, now or when a scan finds the session.
    func overlay(_ id: SessionID, _ overlay: RunOverlay?) {
        state.withLock { state in
            guard state.overlays[id] != overlay else { return }
            state.overlays[id] = overlay
            state.entries[id]?.control = overlay
            state.version &+= 1
        }
    }

    /// Whether somebody purged the session and no run worked in it since; also one that no scan has found.
    func isPurged(_ id: SessionID) -> Bool {
        state.withLock { state in
            state.entries[id].map { !$0.isShown } ?? (state.overlays[id]?.isForgotten == true)
        }
    }

    /// Keeps the result of a scan.
    func note(_ report: DiscoveryReport) {
        state.withLock { $0.report = report }
    }

    private static func rank(_ mode: CatalogueEntry.Standing.Mode) -> Int {
        switch mode {
        case .live: 0
        case .paused: 1
        case .complete: 2
        }
    }
}
