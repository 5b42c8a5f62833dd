import Foundation
import RalphServer
import RalphTestSupport
import Testing

/// A loop whose run was begun and has not registered itself.
@Suite(.timeLimit(.minutes(1)))
struct StartingLoopTests {
    private static let worktree = "project/.worktrees/fair-rose"

    private static func makeLoop(in workspace: StandInWorkspace) throws {
        try workspace.outside.write(worktree + "/.ralph/current-loop-id", "fair-rose")
        try workspace.outside.write(
            worktree + "/.ralph/events-20260102-000000.jsonl", RunningServer.lines(1...1, when: true))
    }

    @Test func `a loop that is being started is neither merged nor discarded`() async throws {
        try await withStandInWorkspace(StandInSetup(steps: "always:\n  wait-for .ralph-go\n")) { workspace in
            try Self.makeLoop(in: workspace)
            let ralph = try workspace.outside.write(
                "slow",
                "#!/bin/sh\ntouch hung\nwhile [ ! -e let-go ]; do sleep 0.05; done\nexec '\(StandIn.ralph)' \"$@\"\n"
            )
            chmod(ralph, 0o755)
            try await withServer(in: workspace.outside, { $0.ralph = ralph }) { server in
                try await Self.refuse(server)
            }
        }
    }

    @Test func `a loop is neither merged nor discarded while a run works in a directory of its worktree`()
        async throws
    {
        try await withStandInWorkspace(StandInSetup(steps: "always:\n  wait-for .ralph-go\n")) { workspace in
            try Self.makeLoop(in: workspace)
            let inner = Self.worktree + "/packages/a"
            for name in ["ralph.yml", "PROMPT.md"] {
                try workspace.outside.write("\(inner)/\(name)", workspace.text(name) ?? "")
            }
            try await withServer(in: workspace.outside, { $0.ralph = StandIn.ralph }) { server in
                _ = try await server.waitForSession(Self.worktree, events: 1)
                let id = try await server.start(#"{"working_dir":"\#(inner)","prompt":"quagga go"}"#)
                try await Self.expectRunning(server)
                _ = try await server.send("DELETE", "/api/sessions/\(id)?force=1")
            }
        }
    }

    @Test func `no run is started in the worktree of a loop that is being merged`() async throws {
        try await withStandInWorkspace(StandInSetup(steps: "always:\n  wait-for .ralph-go\n")) { workspace in
            try Self.makeLoop(in: workspace)
            try workspace.put(
                "merge-queue.jsonl",
                #"{"ts":"2026-01-02T00:00:00Z","loop_id":"fair-rose","event":{"type":"queued","prompt":""}}"#
                    + "\n")
            let ralph = try workspace.outside.write(
                "slow",
                """
                #!/bin/sh
                [ "$1" = loops ] || exec '\(StandIn.ralph)' "$@"
                touch merging
                while [ ! -e let-go ]; do sleep 0.05; done
                """)
            chmod(ralph, 0o755)
            try await withServer(in: workspace.outside, { $0.ralph = ralph }) { server in
                _ = try await server.waitForSession(Self.worktree, events: 1)
                async let merge = server.post("/api/loops/fair-rose/merge")
                try await eventually(within: .seconds(10), "the merge") {
                    FileManager.default.fileExists(atPath: server.root.path + "/project/merging")
                }
                let body = #"{"working_dir":"\#(Self.worktree)","prompt":"quagga go"}"#
                let refused = try await server.post("/api/sessions", body)
                #expect(refused.status == 409)
                #expect(try refused.object()["error"] as? String == "loop_busy: fair-rose")

                try server.root.write("project/let-go", "")
                #expect(try await merge.status == 200)
                let id = try await server.start(body)
                _ = try await server.send("DELETE", "/api/sessions/\(id)?force=1")
            }
        }
    }

    private static func expectRunning(_ server: RunningServer) async throws {
        for action in ["merge", "discard"] {
            let response = try await server.post("/api/loops/fair-rose/\(action)")
            #expect(response.status == 409)
            #expect(try response.object()["error"] as? String == "loop_still_running: fair-rose")
        }
    }

    private static func refuse(_ server: RunningServer) async throws {
        let id = try await server.waitForSession(worktree, events: 1)
        async let start = server.post(
            "/api/sessions", #"{"working_dir":"\#(worktree)","prompt":"quagga go"}"#)
        try await eventually(within: .seconds(10), "the start") {
            FileManager.default.fileExists(atPath: server.root.path + "/\(worktree)/hung")
        }

        try await expectRunning(server)
        try server.root.write(worktree + "/let-go", "")
        #expect(try await start.status == 201)
        _ = try await server.send("DELETE", "/api/sessions/\(id)?force=1")
    }
}
