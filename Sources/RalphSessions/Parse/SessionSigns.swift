/// What the newest events of a session tell about its progress; kept from the end of the first sight on, so
/// that history alone says nothing. See ``Sentinel``.
package struct SessionSigns: Sendable, Codable, Equatable {
    /// Equal events that came one after the other.
    package struct Streak: Sendable, Codable, Equatable {
        /// Counts the streaks of the session.
        package var number = 0
        package var count = 0
        /// The first one's time, milliseconds since 1970.
        package var since: Int64 = 0
    }

    /// Tokens that were used in one minute.
    struct Minute: Sendable, Codable, Equatable {
        /// Minutes since 1970.
        let number: Int64
        var tokens: Int
    }

    /// Over how many minutes ``tokensPerMinute(now:)`` is reckoned.
    package static let windowMinutes: Int64 = 10
    /// More of one minute are not told apart, so that sums stay sums.
    private static let maximumTokens = 1 << 53
    package static let hour: Int64 = 3_600_000

    /// Events of one topic in the events file, but for iterations' ends and what people wrote.
    package private(set) var topics = Streak()
    /// The topic of ``topics`` once there are two of them; at most 256 bytes.
    package private(set) var topic = ""
    /// Verdicts that were failures.
    package private(set) var gates = Streak()
    /// Which episode of a ``Sentinel``, by its raw value, was told last and is not over.
    package private(set) var told: [String: Int] = [:]
    /// Since when the run is silent that was told as stalled and is still, milliseconds since 1970; `nil`: none was, or stored
    /// before this was noted.
    package private(set) var stalledSince: Int64?

    /// When signals were told in the hour up to the last one, milliseconds since 1970; `nil`: none was, or stored before this
    /// was noted.
    package private(set) var toldAt: [Int64]?

    private var topicHash = 0
    /// Ascending, at most ``windowMinutes``.
    private var minutes: [Minute] = []

    package init() {}

    /// The episode of `sentinel` that was told and is not over.
    package func episode(_ sentinel: Sentinel) -> Int? { told[sentinel.rawValue] }

    /// Used in the window that ends at `now` (milliseconds since 1970), for one minute of it.
    package func tokensPerMinute(now: Int64) -> Int {
        let last = now / 60_000
        let window = minutes.filter { $0.number > last - Self.windowMinutes && $0.number <= last }
        return window.reduce(0) { $0 + $1.tokens } / Int(Self.windowMinutes)
    }

    // MARK: Lines

    /// - Parameter name: asked for at the second event of a streak only.
    mutating func noteTopic(hash: Int, at time: Int64, name: () -> String) {
        if hash == topicHash, topics.count > 0 {
            topics.count += 1
            if topics.count == 2 { topic = name() }
        } else {
            topicHash = hash
            topics = Streak(number: topics.number + 1, count: 1, since: time)
        }
    }

    /// What comes is the first of its topic again.
    mutating func endTopics() {
        if topics.count > 0 { topics = Streak(number: topics.number + 1) }
    }

    mutating func noteGate(_ isPassed: Bool, at time: Int64) {
        if isPassed || gates.count == 0 {
            gates = Streak(number: gates.number + 1, count: isPassed ? 0 : 1, since: time)
        } else {
            gates.count += 1
        }
    }

    /// Spreads what an iteration used over the time that it took.
    ///
    /// - Parameters:
    ///   - duration: milliseconds; 0: not known.
    ///   - end: when the iteration ended, milliseconds since 1970; nothing is told of what was before that.
    mutating func noteTokens(_ tokens: Int, duration: Int, to end: Int64) {
        guard end > 0 else { return }
        let tokens = min(tokens, Self.maximumTokens)
        let duration = Int64(max(1, min(duration, 1_000_000_000)))
        let (start, last) = (max(0, end - duration), end / 60_000)
        for minute in max(start / 60_000, last - Self.windowMinutes + 1)...max(last, start / 60_000) {
            let part = min(end, (minute + 1) * 60_000) - max(start, minute * 60_000)
            add(Int(Double(tokens) * Double(part) / Double(duration)), minute)
        }
        let newest = minutes.last?.number ?? 0
        minutes.removeAll { $0.number <= newest - Self.windowMinutes }
    }

    private mutating func add(_ tokens: Int, _ number: Int64) {
        let index = minutes.firstIndex { $0.number >= number } ?? minutes.endIndex
        if index < minutes.endIndex, minutes[index].number == number {
            minutes[index].tokens = min(minutes[index].tokens + tokens, Self.maximumTokens)
        } else {
            minutes.insert(Minute(number: number, tokens: tokens), at: index)
        }
    }

    /// A signal is told.
    mutating func noteTold(_ sentinel: Sentinel, episode: Int, at time: Int64, since: Int64?) {
        told[sentinel.rawValue] = episode
        if sentinel == .stalled { stalledSince = since }
        toldAt = (toldAt ?? []).filter { $0 > time - Self.hour && $0 <= time } + [time]
    }

    /// An episode is over; `false`: none was told.
    mutating func noteOver(_ sentinel: Sentinel) -> Bool {
        if sentinel == .stalled { stalledSince = nil }
        return told.removeValue(forKey: sentinel.rawValue) != nil
    }

    /// Another run has a clean slate, but for how many signals its session has told.
    mutating func beginRun() {
        topics = Streak(number: topics.number + 1)
        gates = Streak(number: gates.number + 1)
        minutes = []
        (told, stalledSince) = ([:], nil)
    }
}
