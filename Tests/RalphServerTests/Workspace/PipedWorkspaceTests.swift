import Foundation
import RalphTestSupport
import Testing

/// A workspace in which pipes stand in the place of files: opening one would wait for its other end.
@Suite(.timeLimit(.minutes(2)))
struct PipedWorkspaceTests {
    private static let files = [
        "PROMPT.md", "ralph.yml", "ralph.yaml", ".git/HEAD", ".git/config", ".ralph/current-events",
        ".ralph/current-loop-id", ".ralph/loop.lock", ".ralph/loops.json", ".ralph/merge-queue.jsonl",
        ".ralph/history.jsonl", ".ralph/suspend-state.json", ".ralph/stop-requested",
        ".ralph/urgent-steer.json", ".ralph/telegram-state.json", ".ralph/api/loop-state.json",
        ".ralph/api/robot-question.json", ".ralph/agent/scratchpad.md", ".ralph/agent/tasks.jsonl",
        ".ralph/agent/tasks.jsonl.lock", ".ralph/agent/memories.md", ".ralph/agent/memories.md.lock",
        ".ralph/agent/summary.md", ".ralph/agent/handoff.md",
    ]

    @Test func `nobody waits for a pipe`() async throws {
        try await withServer { server in
            let id = try await server.session("w", lines: 1)
            for file in Self.files {
                try server.root.write("w/" + file, "")
                try server.root.remove("w/" + file)
                try #require(mkfifo(server.root.path + "/w/" + file, 0o600) == 0)
            }
            let begin = ContinuousClock.now
            for target in ["status", "scratchpad", "summary", "handoff", "diff", "history", "iterations"] {
                let answer = try await server.get("/api/sessions/\(id)/\(target)")
                #expect(answer.status == 200 || target != "status")
            }
            for target in ["tasks", "memories", "loops", "merge-queue"] {
                _ = try await server.get("/api/\(target)?workspace=w")
            }
            for (target, body) in [
                ("sessions/\(id)/steer", #"{"message":"x"}"#),
                ("sessions/\(id)/emit", #"{"topic":"user.note"}"#),
                ("sessions/\(id)/pause", ""), ("sessions/\(id)/resume", ""), ("sessions/\(id)/stop", ""),
                ("tasks?workspace=w", #"{"title":"x"}"#), ("config/export?workspace=w", ""),
                ("config/import?workspace=w", #"{"content":"cli: {backend: claude}\n"}"#),
                ("sessions", #"{"working_dir":"w","prompt_path":"PROMPT.md"}"#),
                ("loops", #"{"workspace":"w","prompt":"x"}"#), ("loops/fair-rose/merge", ""),
            ] { _ = try await server.post("/api/" + target, body) }
            _ = try await server.send("PUT", "/api/memories?workspace=w", #"{"content":"x"}"#)

            #expect(ContinuousClock.now - begin < .seconds(50))
            let seen = try await server.session("v", lines: 1)
            #expect(try await server.get("/api/sessions/\(seen)/status").status == 200)
        }
    }
}
