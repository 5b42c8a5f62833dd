import RalphSessions
import RalphWire

@testable import RalphServer

/// A session whose files a test makes up, and the table that is told of them.
struct QuestionScene {
    static let session = SessionID(digestPrefix: 7)

    var table = QuestionTable()
    var facts = QuestionFacts()
    /// Everything that was told, oldest first.
    var told: [QuestionEvent] = []

    init() {
        facts.areRowsKnown = true
        facts.isLive = true
        facts.runStartedAt = 0
    }

    /// Lets the agent ask; at 1000 × `second` milliseconds.
    mutating func ask(_ text: String, second: Int64, iteration: Int = 1, options: [String]? = nil) {
        facts.rows.append(
            PendingQuestion(
                text: text, askedAt: second * 1000, iteration: iteration,
                place: .init(file: "events-1.jsonl", generation: 0, offset: second * 100), hat: "planner",
                options: options))
    }

    /// Puts the web robot's file there.
    mutating func waitOnWeb(
        _ text: String, second: Int64, iteration: Int = 1, token: String = "main-1-1", timeout: Int = 60
    ) {
        facts.web = WebQuestion(
            json: Array(
                """
                {"hat":"ralph","id":1,"iteration":\(iteration),"loop_id":"main","payload":"",
                "payload_json":{"question":"\(text)"},"response_token":"\(token)","timeout_seconds":\(timeout),
                "timestamp":"\(Timestamp.text(second * 1000))"}
                """.utf8))
    }

    mutating func look(second: Int64) { take(table.observe(Self.session, facts, now: second * 1000)) }

    mutating func wait(until second: Int64) { take(table.advance(now: second * 1000)) }

    mutating func take(_ effects: [QuestionEffect]) {
        for case .tell(_, let event) in effects { told.append(event) }
    }

    mutating func claim(_ id: String, _ text: String, second: Int64) -> QuestionTable.Claim {
        table.claim(id, text, now: second * 1000, isLive: facts.isLive)
    }

    /// Claims and delivers.
    mutating func answer(_ id: String, _ text: String, second: Int64) {
        guard case .taken = claim(id, text, second: second) else { return }
        take(table.noteDelivered(id, at: second * 1000))
    }

    var open: [Question] { table.unanswered }
    var kinds: [QuestionEvent.Kind] { told.map(\.kind) }
    func id(_ text: String) -> String { table.questions.values.first { $0.text == text }?.id ?? "" }
}
