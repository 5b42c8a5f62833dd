/// Counts entries that repeat themselves, so that neither guessing nor streams that are opened again and again
/// drive everything else out of the log. Its size is bounded.
///
/// The first entry is a line at once; the same one within ``windowMilliseconds`` is counted, and told as one
/// line with a `count` when that time is over.
struct AuditRepetitions: Sendable {
    /// How long repetitions are gathered.
    static let windowMilliseconds: Int64 = 10_000

    /// Kinds gathered at once; further ones are counted together, as ``othersAction``.
    private static let capacity = 512

    /// Kinds of one caller gathered at once; further ones of it are counted together, under the same name.
    let callerCapacity: Int
    /// What the line of those is called for which there was no place.
    let othersAction: String
    /// What became of what is gathered here, as that line says it.
    let outcome: AuditEntry.Outcome

    /// Refusals; what they were about does not count, or each name that somebody tries would be a line.
    static let refusals = AuditRepetitions(
        callerCapacity: 16, othersAction: "refusals.others", outcome: .refused)
    /// Openings of streams, each session's for itself.
    static let openings = AuditRepetitions(
        callerCapacity: 64, othersAction: "streams.others", outcome: .ok)

    private struct Origin: Hashable {
        /// The network of an address; what is none is its own.
        let network: PeerNetwork
        let name: String?
        let who: String
        let device: DeviceID?

        init(_ entry: AuditEntry) {
            network = PeerNetwork(entry.peer ?? "")
            name = entry.peer.flatMap { IPAddress($0) == nil ? $0 : nil }
            who = entry.who
            device = entry.device
        }
    }

    private struct Key: Hashable {
        let origin: Origin
        let action: String
        let target: String?
        let status: UInt?
    }

    private struct Window {
        let begun: Int64
        /// The last one; its `count` is how many there were beside the first.
        var last: AuditEntry
    }

    private var windows: [Key: Window] = [:]
    /// What there was no place for, of one caller or of all together.
    private var others: [Origin?: Window] = [:]

    /// Whether `entry` is to be written now; else it is counted.
    mutating func admits(_ entry: AuditEntry) -> Bool {
        let origin = Origin(entry)
        let key = Key(
            origin: origin, action: entry.action, target: outcome == .ok ? entry.target : nil,
            status: entry.status)
        if let window = windows[key] {
            windows[key]?.last = entry
            windows[key]?.last.count = (window.last.count ?? 0) + 1
            return false
        }
        if windows.keys.count(where: { $0.origin == origin }) >= callerCapacity {
            countBeside(entry, of: origin)
            return false
        }
        guard windows.count < Self.capacity else {
            countBeside(entry, of: nil)
            return false
        }
        windows[key] = Window(begun: entry.at, last: entry)
        return true
    }

    /// Counts what there was no place for.
    ///
    /// - Parameter origin: whose places are taken; `nil`: everybody's.
    private mutating func countBeside(_ entry: AuditEntry, of origin: Origin?) {
        var other = AuditEntry(othersAction, at: entry.at)
        if origin != nil {
            (other.who, other.device, other.peer) = (entry.who, entry.device, entry.peer)
        } else if outcome == .refused {
            other.who = "nobody"
        }
        other.outcome = outcome
        other.count = (others[origin]?.last.count ?? 0) + 1
        others[origin] = Window(begun: others[origin]?.begun ?? entry.at, last: other)
    }

    /// What was counted and is to be written now, the oldest first.
    ///
    /// - Parameters:
    ///   - now: milliseconds since 1970.
    ///   - isLast: nothing comes after: whatever was counted.
    mutating func takeEnded(at now: Int64, isLast: Bool = false) -> [AuditEntry] {
        func hasEnded(_ window: Window) -> Bool {
            // A clock that was set back ends it too.
            isLast || now < window.begun || now - window.begun >= Self.windowMilliseconds
        }
        let ended = windows.filter { hasEnded($0.value) }
        for key in ended.keys { windows[key] = nil }
        let endedOthers = others.filter { hasEnded($0.value) }
        for origin in endedOthers.keys { others[origin] = nil }
        let entries = (Array(ended.values) + endedOthers.values).map(\.last)
        return entries.filter { $0.count != nil }.sorted { $0.at < $1.at }
    }
}
