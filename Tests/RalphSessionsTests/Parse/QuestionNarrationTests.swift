import Testing

@testable import RalphSessions

struct QuestionNarrationTests {
    private let time = #""ts":"2026-11-21T03:20:36Z""#

    private func ask(_ payload: String) -> String {
        #"{"payload":\#(payload),"topic":"human.interact",\#(time)}"# + "\n"
    }

    private func answer(_ marker: String?) -> String {
        let id = marker.map { #""id":"\#($0)","# } ?? ""
        return #"{\#(id)"payload":"x","source":"user","topic":"human.response",\#(time)}"# + "\n"
    }

    @Test func `a question keeps its place and what it offers`() throws {
        var reading = Reading()
        reading.engine(ask(#"{"question":"A","options":["yes","no",3]}"#) + ask(#""B""#))
        let questions = reading.narrator.state.questions

        #expect(questions.map(\.text) == ["A", "B"])
        #expect(questions.map(\.options) == [["yes", "no", "3"], nil])
        #expect(Set(questions.compactMap { $0.place?.answerMarker }).count == 2)
        #expect(questions[0].place?.answerMarker.wholeMatch(of: /cmd_[0-9a-f]{16}/) != nil)
    }

    @Test func `of an offer that is an object its label, text or value is shown`() {
        var reading = Reading()
        let offers = #"[{"label":"L","value":1},{"label":null,"text":"T"},{"value":2.5},"s",5,true]"#
        let text = #"{\"question\":\"B\",\"options\":[{\"label\":\"L\"},1]}"#
        reading.engine(ask(#"{"question":"A","options":\#(offers)}"#) + ask("\"\(text)\""))
        let questions = reading.narrator.state.questions

        #expect(questions.map(\.options) == [["L", "T", "2.5", "s", "5", "true"], ["L", "1"]])
    }

    @Test(arguments: [#"["s",[1]]"#, #"[{"name":"x"}]"#, #"[null]"#, #""a,b""#, #"{"a":1}"#])
    func `of a question whose offers cannot be shown all is shown`(_ offers: String) {
        var reading = Reading()
        let payload = #"{"question":"A","options":\#(offers)}"#
        let text = payload.replacing("\"", with: "\\\"")
        reading.engine(ask(payload) + ask("\"\(text)\""))

        #expect(reading.narrator.state.questions.map(\.text) == [payload, payload])
        #expect(reading.narrator.state.questions.allSatisfy { $0.options == nil })
    }

    @Test func `no offers are no reason to show all`() {
        var reading = Reading()
        for options in ["null", "[]"] { reading.engine(ask(#"{"question":"A","options":\#(options)}"#)) }

        #expect(reading.narrator.state.questions.map(\.text) == ["A", "A"])
    }

    @Test func `of more than 64 questions the last is not kept, or the oldest that is overtaken`() {
        var reading = Reading()
        for number in 1...65 { reading.engine(ask("\"Q\(number)\"")) }
        #expect(reading.narrator.state.questions.map(\.text) == (1...64).map { "Q\($0)" })
        reading.narrator.state.questions[1].isOvertaken = true
        reading.engine(ask(#""new""#))

        let texts = reading.narrator.state.questions.map(\.text)
        #expect(texts == ["Q1"] + (3...64).map { "Q\($0)" } + ["new"])
    }

    @Test func `a question may be the text of an object`() {
        var reading = Reading()
        for text in [#"{\"question\":\"Which?\",\"options\":[\"a\"]}"#, #"{\"q\":1}"#, "{half"] {
            reading.engine(ask("\"\(text)\""))
        }
        let questions = reading.narrator.state.questions
        #expect(questions.map(\.text) == ["Which?", #"{"q":1}"#, "{half"])
        #expect(questions.map(\.options) == [["a"], nil, nil])
    }

    @Test(arguments: [(1, ["A", "C"]), (nil, ["B", "C"]), (-1, ["B", "C"])] as [(Int?, [String])])
    func `a row of ours answers its own question and any other the oldest`(
        _ index: Int?, _ left: [String]
    ) throws {
        var reading = Reading()
        reading.engine(ask(#""A""#) + ask(#""B""#) + ask(#""C""#))
        let marker = index.map { index in
            index < 0
                ? "cmd_0000000000000000"
                : reading.narrator.state.questions[index].place?.answerMarker ?? ""
        }
        reading.engine(answer(marker))

        #expect(reading.narrator.state.questions.map(\.text) == left)
    }

    // MARK: Rows that the run does not see

    private static func robot(_ mode: String) -> String {
        "RObot: {enabled: true, mode: \(mode), timeout_seconds: 0}"
    }

    private func row(_ iteration: Int, _ topic: String) -> String {
        let hat = topic.hasPrefix("slice.") ? "ralph" : "loop"
        let place = #""hat":"\#(hat)","iteration":\#(iteration)"#
        return #"{\#(place),"payload":"{}","topic":"\#(topic)",\#(time)}"# + "\n"
    }

    private func foreign(_ payload: String) -> String {
        #"{"payload":\#(payload),"topic":"human.response",\#(time)}"# + "\n"
    }

    @Test(arguments: ["telegram", "web"])
    func `a run that waits takes no answer from before it waits, and none that is no text`(_ mode: String) {
        var reading = Reading(config: Self.robot(mode))
        reading.narrator.hasOutput = true
        reading.engine(row(0, "task.start") + ask(#""A""#) + ask(#""B""#) + foreign(#""early""#))
        #expect(reading.narrator.state.questions.map(\.text) == ["A", "B"])

        reading.engine(row(1, "iteration.summary") + foreign(#"{"a":1}"#) + foreign("null"))
        #expect(reading.narrator.state.questions.map(\.text) == ["A", "B"])

        reading.engine(foreign(#""yes""#))
        #expect(reading.narrator.state.questions.map(\.text) == ["B"])
    }

    @Test func `a row of ours answers its question whatever the run waits for`() throws {
        var reading = Reading(config: Self.robot("telegram"))
        reading.engine(row(0, "task.start") + ask(#""A""#))
        reading.engine(answer(reading.narrator.state.questions.first?.place?.answerMarker))

        #expect(reading.narrator.state.questions.isEmpty)
    }

    @Test(arguments: ["worktree", "{}", "RObot: {enabled: false}"])
    func `where no run waits any row is an answer`(_ config: String) {
        // A loop in a worktree never does.
        let isLoop = config == "worktree"
        var reading = Reading(config: isLoop ? Self.robot("telegram") : config)
        reading.narrator.mayWait = !isLoop
        reading.engine(row(0, "task.start") + ask(#""A""#) + foreign(#"{"a":1}"#))

        #expect(reading.narrator.state.questions.isEmpty)
    }

    @Test(arguments: [0, 1])
    func `a run without summaries is answered before its iteration is known to be over`(_ before: Int) {
        var reading = Reading(config: Self.robot("telegram"))
        // Rows of agents alone do not even tell that there is another one.
        let next = before == 0 ? "" : row(2, "slice.built")
        reading.engine(row(0, "task.start") + next + ask(#""A""#) + foreign(#""yes""#))

        #expect(reading.narrator.state.completedIteration == before)
        #expect(reading.narrator.state.questions.isEmpty)
    }

    @Test func `a number that the run does not have keeps no question open`() {
        var reading = Reading(config: Self.robot("telegram"))
        reading.engine(row(0, "task.start") + row(50, "slice.built") + ask(#""A""#))
        reading.engine(row(1, "iteration.summary") + foreign(#""yes""#))

        #expect(reading.narrator.state.questions.isEmpty)
    }

    @Test func `what is asked between two iterations is waited for at once`() {
        var reading = Reading(config: Self.robot("web"))
        // The same time as that of the rows.
        let start = #""started_at":1795231236000}"# + "\n"
        reading.agent(
            #"{"type":"loop_started","prompt":"{}","# + start
                + #"{"type":"iteration_start","iteration":1,"hat":"ralph","# + start)
        reading.engine(row(0, "task.start") + row(1, "iteration.summary") + ask(#""A""#) + foreign(#""yes""#))

        #expect(reading.narrator.state.questions.isEmpty)
    }
}
