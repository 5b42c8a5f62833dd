/// The wrong keys that came from one peer lately.
struct GuessRecord: Fading {
    /// What becomes of the next one.
    enum Verdict: Equatable {
        case atOnce
        /// Answered after so long.
        case held(Duration)
        /// Not looked at.
        case refused
    }

    /// Wrong ones in a window that are answered at once: people mistype.
    static let free = 3
    /// Nanoseconds of a window.
    static let window: Int64 = 60_000_000_000
    /// How long the answer to each further one is held back.
    static let delay: Duration = .seconds(1)
    /// Answers that are held back for one peer at once.
    static let maximumHeld = 8

    private var windowEnd: Int64 = .min
    private var count = 0
    /// When the answers that are held back are due, the next first.
    private var dueTimes: [Int64] = []

    init() {}

    /// Whether not even a look is due to the next one.
    ///
    /// Whoever has not used up the free ones gets a look, even while others use up all room there is.
    func isExhausted(hasRoomInAll: Bool, at now: Int64) -> Bool {
        guard now < windowEnd, count >= Self.free else { return false }
        return !hasRoomInAll || dueTimes.count { $0 > now } >= Self.maximumHeld
    }

    /// Notes a wrong one. A place among those held back is taken for the whole delay even if the client goes away
    /// meanwhile: else it could tell a wrong key by the silence, and go on at once.
    mutating func note(hasRoomInAll: Bool, at now: Int64) -> Verdict {
        if isExhausted(hasRoomInAll: hasRoomInAll, at: now) { return .refused }
        if now >= windowEnd { (count, windowEnd) = (0, now + Self.window) }
        count += 1
        guard count > Self.free else { return .atOnce }
        dueTimes.removeAll { $0 <= now }
        dueTimes.append(now + Self.delay.components.seconds * 1_000_000_000)
        return .held(Self.delay)
    }

    func hasFaded(at now: Int64) -> Bool { now >= windowEnd && dueTimes.allSatisfy { $0 <= now } }
}
