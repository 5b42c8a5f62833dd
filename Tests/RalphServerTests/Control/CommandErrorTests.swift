import Foundation
import RalphControl
import RalphTestSupport
import RalphWire
import Testing

@testable import RalphServer

/// Everything that a client can send wrong, and everything that can go wrong with a command.
@Suite(.timeLimit(.minutes(1)))
struct CommandErrorTests {
    private static let id = SessionID(digestPrefix: 0xAB)

    @Test(arguments: [
        (
            ControlError.ralphMissing("no ralph\nhere"), 500, "failed_to_spawn: no ralph here",
            "INTERNAL_ERROR"
        ),
        (.failedToSpawn("boom"), 500, "failed_to_spawn: boom", "INTERNAL_ERROR"),
        (.alreadyRunning(id), 409, "already_running", "CONFLICT"),
        (.alreadyPaused(id), 409, "already_running", "CONFLICT"),
        (.agentsAtWork(id, [7, 9]), 409, "already_running", "CONFLICT"),
        (
            .wouldInherit(file: "stop-requested"), 409, "worktree_would_inherit: stop-requested", "CONFLICT"
        ),
        (.notContinuable("x"), 409, "session_not_continuable", "CONFLICT"),
        (.outsideHatScope(topic: "a.b"), 409, "outside_hat_scope: a.b", "CONFLICT"),
        (.notRunning(status: "completed"), 409, "session_not_running: completed", "CONFLICT"),
        (.foreignProcess(pid: 1, uid: 0), 403, "foreign_process", "FORBIDDEN"),
        (.readOnly, 409, "session_read_only", "CONFLICT"),
        (.unwritable(path: "/x", reason: "No space"), 500, "failed_to_emit: No space", "INTERNAL_ERROR"),
        (.unsafePath("/x"), 500, "failed_to_emit: a path leads out of the workspace", "INTERNAL_ERROR"),
        (.topicRefused(topic: "a", reason: "ends it"), 400, "invalid_topic: a: ends it", "BAD_REQUEST"),
        (.failedToStop("it lives"), 500, "failed_to_stop: it lives", "INTERNAL_ERROR"),
        (.busy, 503, "busy", "UNAVAILABLE"), (.superseded, 409, "superseded", "CONFLICT"),
        (.revoked, 401, "unauthorized", "UNAUTHORIZED"),
        (.rowTooLarge(bytes: 3, limit: 2), 413, "body_too_large", "TOO_LARGE"),
        (.starting, 503, "run_starting", "UNAVAILABLE"), (.ending, 503, "run_ending", "UNAVAILABLE"),
    ])
    func `each error of control has its status, text and code`(
        _ error: ControlError, _ status: Int, _ text: String, _ code: String
    ) {
        let problem = Problem(error, during: .emit)

        #expect(problem.status == status)
        #expect(problem.error == text)
        #expect(problem.code.rawValue == code)
        #expect((problem.retryAfter != nil) == (status == 503))
    }

    @Test(arguments: [
        ("steer", #"{"message":"n\u0000ul"}"#, 400),
        ("emit", #"{"topic":"a.b","payload":"quagga\u0000x"}"#, 400),
        ("emit", #"{"topic":"a.b","payload":{"k":["\u0000"]}}"#, 400),
        ("emit", #"{"topic":"a.b","payload":"\\u0000"}"#, 409),
    ])
    func `a text with a NUL is refused, for it would end the run`(
        _ command: String, _ body: String, _ status: Int
    ) async throws {
        try await withServer { server in
            try server.root.write(
                "w/.ralph/events.jsonl", #"{"topic":"a.b","ts":"2026-01-01T00:00:00Z"}"# + "\n")
            let id = try await server.waitForSession("w", events: 1)

            let answer = try await server.post("/api/sessions/\(id)/\(command)", body)

            #expect(answer.status == status)
            #expect(answer.text.contains("NUL") == (status == 400))
        }
    }

    @Test(arguments: [
        (Problem.Action.start, "failed_to_spawn"), (.pause, "failed_to_pause"),
        (.resume, "failed_to_resume"), (.steer, "failed_to_write_steering"), (.emit, "failed_to_emit"),
        (.stop, "failed_to_stop"), (.answer, "failed to write event"),
    ])
    func `a write that failed is told in the words of its command`(_ action: Problem.Action, _ words: String)
    {
        let problem = Problem(.unwritable(path: "/x", reason: "full"), during: action)
        #expect(problem.error == words + ": full")
    }

    @Test(arguments: [
        ("POST", "/pause", ""), ("POST", "/resume", ""), ("POST", "/stop", ""), ("DELETE", "", ""),
        ("POST", "/steer", #"{"message":"x"}"#), ("POST", "/emit", #"{"topic":"no topic"}"#),
        ("GET", "/commands", ""), ("POST", "/steer", "not json"),
    ])
    func `an unknown session is a 404 before anything else`(_ method: String, _ part: String, _ body: String)
        async throws
    {
        try await withServer { server in
            for id in ["0123456789abcdef", "01234567", "x", "%00", "..%2f"] {
                let response = try await server.send(method, "/api/sessions/\(id)\(part)", body)
                #expect(response.status == 404)
            }
        }
    }

    @Test(arguments: [
        ("/steer", "", 400, "invalid_request: the body must be a JSON object"),
        ("/steer", "[1]", 400, "invalid_request: the body must be a JSON object"),
        ("/steer", "{}", 400, "invalid_request: message cannot be empty"),
        ("/steer", #"{"message":" \n"}"#, 400, "invalid_request: message cannot be empty"),
        ("/steer", #"{"message":5}"#, 400, "invalid_request: message must be a string"),
        (
            "/steer", #"{"message":"quagga","urgent":"yes"}"#, 400,
            "invalid_request: urgent must be true or false"
        ),
        ("/emit", "{}", 400, Problem.invalidTopic.error),
        ("/emit", #"{"topic":""}"#, 400, Problem.invalidTopic.error),
        ("/emit", #"{"topic":7}"#, 400, Problem.invalidTopic.error),
        ("/emit", #"{"topic":"a-b"}"#, 400, Problem.invalidTopic.error),
        ("/emit", #"{"topic":"a b"}"#, 400, Problem.invalidTopic.error),
        ("/emit", #"{"topic":"a\u0000"}"#, 400, Problem.invalidTopic.error),
        ("/emit", #"{"topic":"ünï.čödé_1"}"#, 409, "session_not_running: idle"),
        ("/emit?force=maybe", #"{"topic":"a"}"#, 400, "invalid_request: force must be true or false"),
        ("/pause", "garbage", 409, "session_not_running: idle"),
        ("/resume", "", 409, "session_not_running: idle"),
        ("/pause?now=x", "", 400, "invalid_request: now must be true or false"),
        ("/steer", #"{"message":"quagga"}"#, 409, "session_not_running: idle"),
    ])
    func `a command that is none is refused and touches nothing`(
        _ part: String, _ body: String, _ status: Int, _ error: String
    ) async throws {
        try await withServer { server in
            let id = try await server.session("a", lines: 3)
            let before = try server.root.names(in: "a/.ralph")
            let response = try await server.post("/api/sessions/\(id)\(part)", body)

            #expect(response.status == status)
            #expect(try response.object()["error"] as? String == error)
            #expect(try server.root.names(in: "a/.ralph") == before)
            #expect(try await server.status(id)["last_seq"] as? Int == 3)
        }
    }

    @Test func `a text above its limit is a 413`() async throws {
        try await withServer { server in
            let id = try await server.session("a", lines: 1)
            let text = String(repeating: "x", count: SessionCommands.maximumSteeringBytes + 1)
            for (part, member) in [("/steer", "message"), ("/emit", "payload")] {
                let response = try await server.post(
                    "/api/sessions/\(id)\(part)", #"{"topic":"a","\#(member)":"\#(text)"}"#)
                #expect(response.status == 413)
            }
        }
    }

    @Test func `a page of another site may read nothing and command nothing`() async throws {
        try await withServer { server in
            let body = #"{"prompt":"quagga"}"#
            for origin in ["https://evil.example", "null", "http://6.6.6.6", "http://localhost.evil.example"]
            {
                let response = try await server.post("/api/sessions", body, headers: ["Origin": origin])
                #expect(response.status == 403)
                #expect(try response.object()["error"] as? String == "forbidden_origin")
            }
            for origin in [
                "http://localhost:3000", "http://127.0.0.1:8080", "http://[::1]", "http://localhost",
            ] {
                let response = try await server.post("/api/sessions", "{}", headers: ["Origin": origin])
                #expect(response.status == 400)
            }
        }
    }

    @Test func `stopping what has ended changes nothing and says how it ended`() async throws {
        try await withServer { server in
            try Samples.copy("a-normal-multi-hat", to: server.root.path + "/a")
            let id = try await server.waitForSession("a", events: 10)
            let answer = try await server.send("DELETE", "/api/sessions/\(id)").object()

            #expect(answer["status"] as? String == "stopped")
            #expect(answer["already"] as? Bool == true)
            #expect(answer["final_status"] as? String == "completed")
            #expect(try await server.status(id)["status"] as? String == "completed")
        }
    }

    @Test func `a session that counts as running by its events alone was idle when it is stopped`()
        async throws
    {
        try await withServer { server in
            let now = Timestamp.text(WallClock.milliseconds())
            try server.root.write("a/.ralph/events.jsonl", #"{"topic":"a","ts":"\#(now)"}"# + "\n")
            let id = try await server.waitForSession("a", events: 1)
            #expect(try await server.status(id)["status"] as? String == "running")

            let answer = try await server.send("DELETE", "/api/sessions/\(id)").object()
            #expect(answer["already"] as? Bool == true && answer["final_status"] as? String == "idle")
        }
    }

    @Test func `a purge leaves nothing of the session's runs but the last number`() async throws {
        try await withControl { server, workspace in
            for _ in 0..<2 {
                let id = try await server.start()
                #expect(try await server.send("DELETE", "/api/sessions/\(id)?force=1").status == 200)
            }
            let id = try await server.start()
            let runs = workspace.outside.path + "/.state/runs/\(id)"
            func files(_ run: String) throws -> [String] {
                try FileManager.default.contentsOfDirectory(atPath: runs + run)
            }
            #expect(try files("").count == 3)

            #expect(try await server.send("DELETE", "/api/sessions/\(id)?force=1&purge=true").status == 200)

            #expect(try files("") == ["3"])
            #expect(try files("/3").isEmpty)
            #expect(try await server.start() == id)
            #expect(try files("").sorted() == ["3", "4"])
            _ = try await server.send("DELETE", "/api/sessions/\(id)?force=1")
        }
    }

    @Test func `a purged session is gone from the list and from its path, over a restart`() async throws {
        try await withTemporaryDirectory { directory in
            try await withServer(in: directory) { server in
                let id = try await server.session("a", lines: 3)
                #expect(try await server.send("DELETE", "/api/sessions/\(id)?purge=true").status == 200)
                #expect(try await server.get("/api/sessions").text == "[]")
                #expect(try await server.get("/api/sessions/\(id)/status").status == 404)
            }
            try await withServer(in: directory) { server in
                let list = try await server.get("/api/sessions")
                #expect(list.text == "[]")
            }
        }
    }
}
