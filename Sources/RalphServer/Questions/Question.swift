import RalphWire

/// A question of a run to a person, as the book keeps and stores it; times are milliseconds since 1970.
struct Question: Codable, Sendable, Equatable {
    /// The way on which an answer reaches the run (contract 6.5).
    enum Channel: String, Codable, Sendable {
        /// A `human.response` row of the events file.
        case row
        /// The web robot's answer file.
        case web
    }

    /// What became of it.
    enum Standing: String, Codable, Sendable {
        case open
        case answered
        /// Nobody answered in time.
        case expired
        /// The run went on without an answer.
        case overtaken
        /// The run ended first.
        case ended
    }

    /// What the web robot must find in an answer (contract 6.6).
    struct WebPlace: Codable, Sendable, Equatable {
        let number: Int64
        /// `main` for the primary.
        let loopID: String
        let token: String
    }

    /// An answer: stored first, delivered then.
    struct Reply: Codable, Sendable, Equatable {
        /// `nil`: it came on another way and is not known.
        let text: String?
        let storedAt: Int64
        /// `nil`: not delivered yet, or not known to be. Where an open question has it, the answer takes a second way.
        var deliveredAt: Int64?
        /// `api`, or the channel on which somebody else answered.
        let channel: String
        /// Whether the last try of delivering it failed, and nothing of it was written; kept beyond a restart.
        var isUnsent: Bool?
        /// The ids of the devices that gave it, 64 at most, while its question is open: it goes to its run as long as
        /// one of them is paired. `nil`: somebody else gave it too, or a version stored it that noted nobody.
        var devices: [String]?
    }

    let id: String
    let session: SessionID
    var text: String
    /// What the agent offers as answers; empty: anything.
    var options: [String] = []
    var askedAt: Int64
    /// `nil`: never.
    var timeoutAt: Int64?
    var iteration: Int
    var hat: String?
    /// The place of its row, see ``key(of:)``; `nil`: only the web robot's file tells of it.
    var row: String?
    /// The `id` of the row that answers it; `nil`: there will be none.
    var marker: String?
    var web: WebPlace?
    /// Whether its row was answered while the run waited for its file; optional, so that older ones decode.
    var isRowPast: Bool?
    /// Whether the run waits for the answer now, as far as its files tell.
    var isBlocking = false
    /// The run will wait for the answer, but only from the end of its iteration on, and would not see one that
    /// came before (contract 6.5); until when that is to be expected. `Int64.max`: the iteration goes on.
    var expectedUntil: Int64?
    /// Whether it will be a file that the run waits for then.
    var takesFile = false
    var standing: Standing = .open
    var reply: Reply?
    /// The last reminder that was given, in percent of the time; 0: none.
    var reminded = 0

    var channel: Channel { web == nil ? .row : .web }

    /// Whether an answer has to wait until the run waits for it; until then no time runs either.
    var isWaitAhead: Bool { expectedUntil != nil && !isBlocking }

    /// Before the end of its time the run looks for an answer every 250 ms, and is not on the dot.
    private static let lateMilliseconds: Int64 = 600

    /// From when on its run may give up before it has looked for an answer once more; `nil`: it never does.
    var lateFrom: Int64? { timeoutAt.map { $0 - Self.lateMilliseconds } }

    /// Whether its time is over by the clock, `now` in milliseconds since 1970.
    func isDue(at now: Int64) -> Bool { !isWaitAhead && (timeoutAt ?? .max) <= now }

    /// Whether an answer may still be in time. Ralph's own wait stands while the machine sleeps and knows nothing of a
    /// clock that was set: where its files say that it waits, it does.
    func hasTime(at now: Int64) -> Bool { isBlocking || !isDue(at: now) }

    /// Whether somebody may still answer it.
    var isOpen: Bool { standing == .open && reply == nil }
}
