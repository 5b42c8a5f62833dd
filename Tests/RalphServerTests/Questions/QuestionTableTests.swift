import RalphSessions
import RalphWire
import Testing

@testable import RalphServer

struct QuestionTableTests {
    @Test func `a row becomes a question that keeps its id`() {
        var first = QuestionScene()
        first.ask("Which format?", second: 10, options: ["JSON", "text"])
        first.look(second: 11)
        var second = QuestionScene()
        second.facts = first.facts
        second.look(second: 12)

        #expect(first.open.map(\.text) == ["Which format?"])
        #expect(first.open.first?.options == ["JSON", "text"])
        #expect(first.open.first?.timeoutAt == 310_000)
        #expect(first.open.first?.hat == "planner")
        #expect(first.open.map(\.id) == second.open.map(\.id))
        #expect(first.open.first?.id.wholeMatch(of: /q_[0-9a-f]{16}/) != nil)
    }

    @Test func `several questions of a session are listed oldest first`() {
        var scene = QuestionScene()
        scene.ask("B", second: 20, iteration: 2)
        scene.ask("A", second: 10)
        scene.look(second: 21)

        #expect(scene.open.map(\.text) == ["A", "B"])
    }

    @Test func `no more than 64 questions of a session are open, the oldest of them`() {
        var scene = QuestionScene()
        for number in 1...70 { scene.ask("question \(number)", second: Int64(number), iteration: number) }
        scene.look(second: 71)

        #expect(scene.open.map(\.text) == (1...64).map { "question \($0)" })
        scene.answer(scene.id("question 1"), "yes", second: 72)
        scene.look(second: 73)
        #expect(scene.open.count == 64 && scene.open.last?.text == "question 65")
    }

    @Test func `of what is asked 8 KiB and 32 options of 256 characters are kept`() {
        let long = String(repeating: "x", count: 9000)
        let json = "[" + Array(repeating: "\"\(long)\"", count: 40).joined(separator: ",") + "]"

        #expect(PendingQuestion.kept(of: long).utf8.count == 8192)
        let options = PendingQuestion.options(json: Array(json.utf8))
        #expect(options == Array(repeating: String(long.prefix(256)), count: 32))
        // A letter with marks is one character, whatever they are.
        let marked = "\"a\(String(repeating: "\u{301}", count: 9000))\""
        let bytes = PendingQuestion.options(json: Array("[\(marked)]".utf8))?.first?.utf8.count
        #expect(bytes == 1023)
    }

    @Test func `every reason for which no answer is taken has its status`() {
        let problems: [(QuestionError, Int, String)] = [
            (.unknown, 404, "question_not_found"), (.alreadyAnswered, 409, "question_already_answered"),
            (.expired(.overtaken), 410, "question_expired"), (.notFirst("q_1"), 409, "question_not_first"),
            (.notStored("full"), 503, "store_unavailable"),
            (.notDelivered("gone"), 500, "failed to write event: gone"),
        ]
        for (error, status, text) in problems {
            #expect(Problem(error).status == status && Problem(error).error == text)
        }
    }

    @Test(arguments: [(Int64?.none, Int64?.some(310_000)), (30, 40_000), (0, nil)])
    func `the time ends as the configuration says`(_ seconds: Int64?, _ end: Int64?) {
        var scene = QuestionScene()
        scene.facts.timeoutSeconds = seconds
        scene.ask("A", second: 10)
        scene.look(second: 11)

        #expect(scene.open.first?.timeoutAt == end)
        #expect(
            (QuestionObject(scene.open[0], now: 11_000).timeout_at == "9999-12-31T00:00:00.000Z")
                == (end == nil))
    }

    @Test func `the web robot's file gives its row a channel and a time`() {
        var scene = QuestionScene()
        scene.ask("A", second: 10)
        scene.look(second: 10)
        scene.waitOnWeb("A", second: 10, timeout: 6)
        scene.look(second: 11)

        #expect(scene.open.count == 1)
        #expect(scene.open.first?.channel == .web)
        #expect(scene.open.first?.timeoutAt == 16_000)
        #expect(scene.open.first?.isBlocking == true)
    }

    @Test(arguments: [(Int.min, Int64(310_000)), (-1, 310_000), (.max, 10_000 + 100 * 365 * 86_400_000)])
    func `a time that no robot writes ends no server`(seconds: Int, end: Int64) {
        var scene = QuestionScene()
        scene.ask("A", second: 10)
        scene.waitOnWeb("A", second: 10, timeout: seconds)
        scene.look(second: 11)

        #expect(scene.open.first?.timeoutAt == end)
    }

    @Test func `a file that is seen before its row makes no second question`() {
        var scene = QuestionScene()
        scene.waitOnWeb("A", second: 10)
        scene.look(second: 10)
        #expect(scene.open.isEmpty)
        scene.look(second: 12)
        let id = scene.open.first?.id
        scene.ask("A", second: 9)
        scene.look(second: 13)

        #expect(scene.open.map(\.id) == [id])
        #expect(scene.open.first?.row != nil)
    }

    @Test func `a file that a killed run left is no question of the next one`() {
        var scene = QuestionScene()
        scene.facts.runStartedAt = 20_000
        scene.waitOnWeb("A", second: 10)
        scene.look(second: 21)

        #expect(scene.table.questions.isEmpty)
    }

    @Test func `a row that is answered elsewhere closes its question`() {
        var scene = QuestionScene()
        scene.ask("A", second: 10)
        scene.look(second: 10)
        let id = scene.id("A")
        scene.facts.rows = []
        scene.look(second: 12)

        #expect(scene.open.isEmpty)
        #expect(scene.kinds == [.answered])
        #expect(scene.told.first?.payload.contains(#""channel":"row""#) == true)
        #expect(scene.claim(id, "x", second: 13) == .refused(.alreadyAnswered))
    }

    @Test func `a row of somebody else answers no run that waits for its file`() {
        var scene = QuestionScene()
        scene.ask("A", second: 10)
        scene.waitOnWeb("A", second: 10)
        scene.look(second: 10)
        let id = scene.id("A")
        scene.facts.rows = []
        scene.look(second: 12)
        #expect(scene.open.map(\.id) == [id] && scene.open.first?.isBlocking == true)

        scene.facts.web = nil
        scene.look(second: 13)
        #expect(scene.open.isEmpty && scene.kinds == [.answered])
    }

    @Test(arguments: [true, false])
    func `a question with a file is answered by its row, however late that is read`(_ isForeign: Bool) {
        var scene = QuestionScene()
        scene.ask("A", second: 10)
        scene.waitOnWeb("A", second: 10)
        scene.look(second: 10)
        scene.facts.rows = []
        if isForeign { scene.look(second: 12) }
        scene.facts.web = nil
        scene.look(second: 400)

        #expect(scene.open.isEmpty && scene.kinds == [isForeign ? .expired : .answered])
    }

    @Test func `rows that were not read yet prove nothing`() {
        var scene = QuestionScene()
        scene.ask("A", second: 10)
        scene.look(second: 10)
        scene.facts.rows = []
        scene.facts.areRowsKnown = false
        scene.look(second: 12)

        #expect(scene.open.map(\.text) == ["A"])
    }

    @Test(arguments: [(true, 0), (false, 1)])
    func `the next iteration passes a question that the run waited for`(_ doesWait: Bool, _ left: Int) {
        var scene = QuestionScene()
        scene.facts.doesWait = doesWait
        scene.ask("A", second: 10)
        scene.look(second: 10)
        scene.facts.rows[0].isOvertaken = true
        scene.look(second: 12)

        #expect(scene.open.count == left)
        #expect(scene.kinds == (doesWait ? [.expired] : []))
    }

    @Test func `the end of the run and a new run close what was open`() {
        for change in [{ $0.runEndedAt = 11_000 }, { $0.runStartedAt = 11_000 }]
            as [(inout QuestionFacts) -> Void]
        {
            var scene = QuestionScene()
            scene.ask("A", second: 10)
            scene.look(second: 10)
            let id = scene.id("A")
            change(&scene.facts)
            scene.look(second: 12)

            #expect(scene.open.isEmpty)
            guard case .refused(.expired) = scene.claim(id, "x", second: 13) else {
                Issue.record("an answer was taken")
                continue
            }
        }
    }

    @Test func `reminders come once each and then the time is over`() {
        var scene = QuestionScene()
        scene.facts.timeoutSeconds = 100
        scene.ask("A", second: 0)
        scene.look(second: 1)
        let id = scene.id("A")
        for second in [49, 50, 51, 89, 90, 91, 99, 100, 101] as [Int64] { scene.wait(until: second) }

        #expect(scene.kinds == [.reminder, .reminder, .expired])
        #expect(scene.told.map { $0.payload.contains(#""percent":50"#) } == [true, false, false])
        #expect(scene.claim(id, "late", second: 102) == .refused(.expired(.expired)))
    }

    @Test func `after a long sleep only the last reminder is given`() {
        var scene = QuestionScene()
        scene.facts.timeoutSeconds = 100
        scene.ask("A", second: 0)
        scene.look(second: 1)
        scene.wait(until: 95)

        #expect(scene.told.count == 1)
        #expect(scene.told.first?.payload.contains(#""percent":90"#) == true)
    }

    @Test func `the next moment is the next thing that is due`() {
        var scene = QuestionScene()
        scene.facts.timeoutSeconds = 100
        scene.ask("A", second: 0)
        scene.look(second: 1)
        _ = scene.table.dropLooks(until: 10_000)

        #expect(scene.table.nextMoment(after: 10_000) == 50_000)
        scene.wait(until: 50)
        #expect(scene.table.nextMoment(after: 50_000) == 90_000)
        scene.wait(until: 90)
        #expect(scene.table.nextMoment(after: 90_000) == 100_000)
        scene.wait(until: 100)
        #expect(scene.table.nextMoment(after: 100_000) == nil)
    }

    @Test(arguments: [
        (#"[{"label":"L"},5]"#, "A", ["L", "5"]), (#"[[1]]"#, "all of it", []), ("null", "A", []),
    ])
    func `the web robot's file offers what its row does`(
        _ offers: String, _ text: String, _ options: [String]
    ) {
        let web = WebQuestion(
            json: Array(
                """
                {"id":1,"loop_id":"main","response_token":"t","payload":"all of it",
                "payload_json":{"question":"A","options":\(offers)}}
                """.utf8))

        #expect(web?.text == text)
        #expect(web?.options == options)
    }

    @Test(arguments: [("4294967295", 4_294_967_295), ("4294967296", 0), ("-1", 0), ("null", 0), ("7", 7)])
    func `the web robot's file says an iteration that Ralph can count`(_ said: String, _ iteration: Int) {
        let text = #"{"id":1,"loop_id":"main","response_token":"t","payload":"q","iteration":\#(said)}"#
        #expect(WebQuestion(json: Array(text.utf8))?.iteration == iteration)
    }

    @Test func `a file of any bytes is no question`() {
        for text in ["", "{", "[]", "{}", #"{"id":"x","loop_id":"main","response_token":"t"}"#, "null"] {
            #expect(WebQuestion(json: Array(text.utf8)) == nil)
        }
    }
}
