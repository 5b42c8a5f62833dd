import Foundation
import RalphServer
import RalphTestSupport
import Testing

/// Runs that go by another configuration than their workspace's `ralph.yml`.
@Suite(.timeLimit(.minutes(1)))
struct RunConfigurationTests {
    private static let asking = """
        iteration 1:
          ask Which format?
          wait-for .ralph-go
        iteration 2:
          log-prompt prompts.txt
          wait-for .ralph-end
        """

    private func serve(
        _ workspace: StandInWorkspace, _ body: @Sendable @escaping (RunningServer) async throws -> Void
    ) async throws {
        try await withServer(
            in: workspace.outside,
            {
                $0.ralph = StandIn.ralph
                $0.rescan = .milliseconds(500)
            }, body)
    }

    /// Writes `other.yml`: the workspace's configuration with other words in it.
    private func writeOther(_ workspace: StandInWorkspace, _ words: [String: String]) throws {
        var text = try #require(workspace.text("ralph.yml"))
        for (word, other) in words { text = text.replacing(word, with: other) }
        try workspace.directory.write("other.yml", text)
    }

    private func questions(_ server: RunningServer) async throws -> [[String: Any]] {
        try await server.get("/api/robot/questions").object()["questions"] as? [[String: Any]] ?? []
    }

    private func seconds(_ question: [String: Any]) -> TimeInterval? {
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        let times = ["asked_at", "timeout_at"].compactMap { question[$0] as? String }
            .compactMap { try? style.parse($0) }  // what is no time makes the list too short
        return times.count == 2 ? times[1].timeIntervalSince(times[0]) : nil
    }

    @Test(arguments: ["web", "telegram"])
    func `an early answer is held for a run whose own configuration makes it wait`(_ mode: String)
        async throws
    {
        var setup = StandInSetup(steps: Self.asking)
        setup.sections =
            "RObot: {enabled: false, mode: \(mode), timeout_seconds: 90, telegram: {bot_token: x}}"
        try await withStandInWorkspace(setup) { workspace in
            try writeOther(workspace, ["enabled: false": "enabled: true", "seconds: 90": "seconds: 7200"])
            let handle = WorkspaceHandle(path: workspace.path, outside: workspace.outside)
            try await serve(workspace) { server in
                let session = try await server.start(
                    #"{"working_dir":"project","prompt":"quagga go","config_path":"other.yml"}"#)
                try await eventually(within: .seconds(20), "a question") {
                    try await !questions(server).isEmpty
                }
                let question = try #require(try await questions(server).first)
                // While the time does not run yet, it is counted from now.
                #expect((7200..<7210).contains(try #require(seconds(question))))

                let body = #"{"question_id":"\#(question["id"] ?? "")","response_text":"JSON, please"}"#
                async let answer = server.post("/api/robot/response", body)
                try await eventually(within: .seconds(10), "an answer that was taken") {
                    try await questions(server).isEmpty
                }
                try handle.put(".ralph-go")
                let response = try await answer
                #expect(response.status == 200, "\(response.text)")
                try await eventually(within: .seconds(10), "the answer in a prompt") {
                    handle.text("prompts.txt").contains("JSON, please")
                }
                let topics = try await server.topics(session)
                #expect(topics.filter { $0 == "question.answered" }.count == 1)
                #expect(topics.filter { $0 == "human.response" }.count == 1)
            }
        }
    }

    @Test func `of a run that was started elsewhere its own configuration and limit are told`() async throws {
        var setup = StandInSetup(steps: "always:\n  wait-for .ralph-go\n")
        setup.eventLoop = ["max_iterations: 1000"]
        try await withStandInWorkspace(setup) { workspace in
            try writeOther(
                workspace,
                ["iterations: 1000": "iterations: 7", "name: Planner": "name: Chef", "planner:": "chef:"])
            let handle = WorkspaceHandle(path: workspace.path, outside: workspace.outside)
            _ = try workspace.run(["--no-tui", "-c", "other.yml"])
            // A server that looks between the making of the lock and the writing into it knows of no run yet.
            try await workspace.waitForTopic("work.start")
            try await serve(workspace) { server in
                let id = try await server.waitForSession("project", events: 1)
                try await server.waitFor(id, "config_path", "other.yml")
                // The file is read behind the run; until then it has no limit rather than another's.
                try await eventually(within: .seconds(10), "its own limit") {
                    let total = try await server.status(id)["total"] as? Int
                    #expect(total == nil || total == 7)
                    return total == 7
                }
                let status = try await server.status(id)
                #expect(status["hat"] as? String == "chef")
                #expect(status["hat_name"] as? String == "Chef")
                #expect(status["source"] as? String == "discovered")
                _ = try await server.send("DELETE", "/api/sessions/\(id)?force=1")
                #expect(handle.processes.isEmpty)
            }
            _ = try workspace.run(["--no-tui", "--max-iterations", "5"])
            try await serve(workspace) { server in
                let id = try await server.waitForSession("project", events: 1)
                try await server.waitFor(id, "status", "running")
                try await eventually(within: .seconds(10), "the limit") {
                    try await server.status(id)["total"] as? Int == 5
                }
                #expect(try await server.status(id)["config_path"] as? String == "ralph.yml")
                _ = try await server.send("DELETE", "/api/sessions/\(id)?force=1")
            }
        }
    }

    @Test(arguments: [true, false])
    func `hats that a run was given are told instead of its configuration's`(_ isOurs: Bool) async throws {
        try await withStandInWorkspace(StandInSetup(steps: "always:\n  wait-for .ralph-go\n")) { workspace in
            try workspace.directory.write(
                "hats/crew.yml", "hats: {chef: {name: Chef, triggers: [work.start]}}\n")
            let handle = WorkspaceHandle(path: workspace.path, outside: workspace.outside)
            if !isOurs { _ = try workspace.run(["--no-tui", "-H", "hats/crew.yml"]) }
            try await serve(workspace) { server in
                let id =
                    isOurs
                    ? try await server.start(#"{"working_dir":"project","prompt":"go","hats":"crew"}"#)
                    : try await server.waitForSession("project", events: 1)
                try await server.waitFor(id, "hat", "chef")
                // Of a run that was started elsewhere once control has adopted it.
                try await server.waitFor(id, "hat_name", "Chef")
                _ = try await server.send("DELETE", "/api/sessions/\(id)?force=1")
                #expect(handle.processes.isEmpty)
            }
        }
    }
}
