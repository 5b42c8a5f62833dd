/// Counts refusals that repeat themselves, so that guessing fills no disk. Its size is bounded.
///
/// The first refusal is a line at once; the same one within ``windowMilliseconds`` is counted, and told as one
/// line with a `count` when that time is over.
struct AuditRefusals: Sendable {
    /// How long repetitions are gathered.
    static let windowMilliseconds: Int64 = 10_000
    /// Kinds of refusals gathered at once; further ones are counted together, as ``othersAction``.
    static let capacity = 512
    /// What the line of those is called for which there was no place.
    static let othersAction = "refusals.others"

    private struct Key: Hashable {
        /// The network of an address; what is none is its own.
        let network: PeerNetwork
        let name: String?
        let who: String
        let device: DeviceID?
        let action: String
        let status: UInt?
    }

    private struct Window {
        let begun: Int64
        /// The last one; its `count` is how many there were beside the first.
        var last: AuditEntry
    }

    private var windows: [Key: Window] = [:]
    private var others: Window?

    /// Whether `entry` is to be written now; else it is counted.
    mutating func admits(_ entry: AuditEntry) -> Bool {
        let key = Key(
            network: PeerNetwork(entry.peer ?? ""),
            name: entry.peer.flatMap { IPAddress($0) == nil ? $0 : nil }, who: entry.who,
            device: entry.device, action: entry.action, status: entry.status)
        if let window = windows[key] {
            windows[key]?.last = entry
            windows[key]?.last.count = (window.last.count ?? 0) + 1
            return false
        }
        if windows.count < Self.capacity {
            windows[key] = Window(begun: entry.at, last: entry)
            return true
        }
        var other = AuditEntry(Self.othersAction, at: entry.at)
        other.who = "nobody"
        other.outcome = .refused
        other.count = (others?.last.count ?? 0) + 1
        others = Window(begun: others?.begun ?? entry.at, last: other)
        return false
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
        var entries = ended.values.map(\.last)
        if let others, hasEnded(others) {
            entries.append(others.last)
            self.others = nil
        }
        return entries.filter { $0.count != nil }.sorted { $0.at < $1.at }
    }
}
