import Foundation
import RalphTestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct QuestionTests {
    private func setup(_ mode: String, seconds: Int = 30) -> StandInSetup {
        var setup = StandInSetup(
            steps: "log-prompt prompts\niteration 1:\nask JSON or text?\niteration 2:\ncomplete")
        setup.sections = "RObot: {enabled: true, mode: \(mode), timeout_seconds: \(seconds)}"
        return setup
    }

    @Test func `a web question is released by its response file and by no row`() async throws {
        try await withStandInWorkspace(setup("web")) { workspace in
            let run = try workspace.run()
            try await workspace.waitForFile(".ralph/api/robot-question.json")
            let token = try #require(workspace.question?["response_token"] as? String)
            try workspace.append(topic: "human.response", payload: "IGNORED")
            // Without its loop it is ignored in silence, with a wrong token it is removed.
            try workspace.answerQuestion("JSON", token: token, loop: nil)
            try workspace.answerQuestion("JSON", token: "main-1-0", loop: "main")
            try await eventually(within: .seconds(5), "removal of the stale answer") {
                !workspace.exists(".ralph/api/robot-response.json")
            }
            #expect(workspace.exists(".ralph/api/robot-question.json"))

            try workspace.append(topic: "note.left", payload: "be quick")
            try workspace.answerQuestion("JSON")

            try await expectExit(.code(0), of: run)
            #expect(workspace.text("prompts")?.contains("be quick") == true)
            #expect(workspace.text("prompts")?.contains("[human.response] JSON") == true)
            #expect(!workspace.exists(".ralph/api/robot-question.json"))
            #expect(workspace.plainTopics.filter { $0 == "human.response" }.count == 2)
        }
    }

    @Test func `a telegram question is released by a row`() async throws {
        try await withStandInWorkspace(setup("telegram")) { workspace in
            let run = try workspace.run()
            try await eventually(within: .seconds(20), "pending question") {
                workspace.text(".ralph/telegram-state.json")?.contains("asked_at") == true
            }

            try workspace.append(topic: "human.response", payload: "text")

            try await expectExit(.code(0), of: run)
            #expect(workspace.text("prompts")?.contains("[human.response] text") == true)
        }
    }

    @Test func `a telegram question is released by no row without a text`() async throws {
        try await withStandInWorkspace(setup("telegram")) { workspace in
            let run = try workspace.run()
            try await eventually(within: .seconds(20), "pending question") {
                workspace.text(".ralph/telegram-state.json")?.contains("asked_at") == true
            }

            // In one write, so that the run finds them together.
            let rows = [#"{"a":1}"#, "null", #""text""#].map {
                #"{"payload":\#($0),"topic":"human.response","ts":"2026-01-01T00:00:00Z"}"# + "\n"
            }
            try workspace.directory.append(workspace.eventsFile, rows.joined())

            try await expectExit(.code(0), of: run)
            let lines = (workspace.text("prompts") ?? "").split(separator: "\n")
            let answers = lines.filter { $0.hasPrefix("[human.response]") }
            // The answer comes behind what else was read meanwhile.
            #expect(answers == [#"[human.response] {"a":1}"#, "[human.response] ", "[human.response] text"])
        }
    }

    @Test func `a question that comes while another waits is asked behind it`() async throws {
        try await withStandInWorkspace(setup("web")) { workspace in
            let run = try workspace.run()
            try await workspace.waitForFile(".ralph/api/robot-question.json")
            try workspace.append(topic: "human.interact", payload: "And its indent?")
            try workspace.answerQuestion("JSON")

            try await eventually(within: .seconds(20), "second question") {
                workspace.question?["id"] as? Int == 2
            }
            try workspace.answerQuestion("tabs")

            try await expectExit(.code(0), of: run)
            #expect(workspace.text("prompts")?.contains("[human.response] tabs") == true)
        }
    }

    @Test func `a question that nobody answers goes on as human.timeout`() async throws {
        try await withStandInWorkspace(setup("web", seconds: 1)) { workspace in
            try await expectExit(.code(0), of: try workspace.run())

            #expect(workspace.text("prompts")?.contains("[human.timeout]") == true)
            #expect(!workspace.exists(".ralph/api/robot-question.json"))
        }
    }

    @Test func `without a robot a question blocks nothing`() async throws {
        var setup = setup("web")
        setup.sections = ""
        try await withStandInWorkspace(setup) { workspace in
            try await expectExit(.code(0), of: try workspace.run())

            #expect(!workspace.exists(".ralph/api/robot-question.json"))
        }
    }

    @Test func `a signal during a question is a time-out and then the self-kill`() async throws {
        try await withStandInWorkspace(setup("web", seconds: 0)) { workspace in
            let run = try workspace.run()
            try await workspace.waitForFile(".ralph/api/robot-question.json")
            try workspace.put("stop-requested")  // not looked at meanwhile
            run.signal(SIGTERM)

            try await expectExit(.signal(SIGKILL), of: run)
            #expect(workspace.exists(".ralph/stop-requested"))
        }
    }
}
