import Foundation
import RalphServer
import RalphTestSupport
import Testing

/// Runs that the server starts itself.
@Suite(.timeLimit(.minutes(1)))
struct RunControlTests {
    @Test func `a started run is listed, streamed and stopped, and its streams end before the answer`()
        async throws
    {
        try await withControl { server, workspace in
            let response = try await server.post(
                "/api/sessions", #"{"working_dir":"project","config_path":"ralph.yml","prompt":"quagga go"}"#)
            let started = try response.object()
            let id = try #require(started["id"] as? String)

            #expect(response.status == 201)
            #expect(response.headers["location"] == "/api/sessions/\(id)")
            #expect(started["status"] as? String == "starting")
            let status = try await server.status(id)
            #expect(status["status"] as? String == "running")
            #expect(status["mode"] as? String == "live")
            #expect(status["source"] as? String == "spawned")
            #expect(status["config_path"] as? String == "ralph.yml")
            #expect(status["pid"] as? Int == started["pid"] as? Int)

            let stream = try await server.stream("/api/sessions/\(id)/events")
            let stopped = try await server.send("DELETE", "/api/sessions/\(id)?force=1")
            #expect(try stopped.object()["status"] as? String == "stopped")
            let topics = try await stream.eventsToEnd(within: .seconds(2)).map {
                try $0.object()["topic"] as? String ?? ""
            }
            #expect(topics.last == "session.stopped")
            #expect(stream.hasEndedCleanly)
            #expect(workspace.processes.isEmpty)
            #expect(try await server.status(id)["status"] as? String == "stopped")

            let again = try await server.send("DELETE", "/api/sessions/\(id)").object()
            #expect(again["already"] as? Bool == true)
            #expect(again["final_status"] as? String == "stopped")
            #expect(try await server.commands(id) == ["start accepted", "stop accepted", "stop accepted"])
        }
    }

    @Test func `nothing is told behind the end of a run that obeyed its stop`() async throws {
        let steps = "always:\n  wait 60\n  emit slice.planned next\n  emit slice.built next\n"
        try await withControl(steps: steps) { server, workspace in
            let id = try await server.start()
            let stream = try await server.stream("/api/sessions/\(id)/events?after_seq=0")
            _ = try await stream.eventIDs(20)
            _ = try await server.send("DELETE", "/api/sessions/\(id)")
            let told = try await stream.eventsToEnd(within: .seconds(2)).compactMap {
                try $0.object()["seq"] as? Int
            }

            // Longer than between two looks at the output.
            let start = ContinuousClock.now
            try workspace.outside.write("other/.ralph/events.jsonl", RunningServer.lines(1...1, when: true))
            _ = try await server.waitForSession("other", events: 1)
            try await eventually(within: .seconds(5), "a while") {
                start.duration(to: .now) > .milliseconds(300)
            }
            #expect(try await server.status(id)["last_seq"] as? Int == told.last)
        }
    }

    @Test func `a pause holds at the boundary until it is resumed`() async throws {
        try await withControl(
            steps: "always:\n  log-prompt prompts.txt\n  wait-for .ralph-go\n  emit slice.planned next\n"
        ) { server, workspace in
            let id = try await server.start()
            // Before its first iteration a run waits at once.
            try await eventually(within: .seconds(20), "an agent at work") {
                !workspace.text("prompts.txt").isEmpty
            }
            let pause = try await server.post("/api/sessions/\(id)/pause").object()
            #expect(pause["status"] as? String == "paused")
            #expect(pause["pending"] as? Bool == true)
            #expect(pause["changed"] as? Bool == true)
            #expect(try await server.status(id)["phase"] as? String == "pausing")
            let again = try await server.post("/api/sessions/\(id)/pause").object()
            #expect(again["changed"] as? Bool == false)
            #expect(try await server.post("/api/sessions/\(id)/pause?strict=1").status == 409)

            try workspace.put(".ralph-go")
            try await server.waitFor(id, "phase", "suspended")
            #expect(workspace.exists(".ralph/suspend-state.json"))

            try workspace.remove(".ralph-go")
            let resume = try await server.post("/api/sessions/\(id)/resume", "{}").object()
            #expect(resume["status"] as? String == "running")
            #expect(resume["result"] as? String == "resumed")
            #expect(resume["changed"] as? Bool == true)
            try await server.waitFor(id, "status", "running")
            #expect(try await server.post("/api/sessions/\(id)/resume?strict=1").status == 409)
            _ = try await server.send("DELETE", "/api/sessions/\(id)?force=1")
            let topics = try await server.topics(id)
            #expect(topics.filter { $0 == "session.paused" }.count == 1)
            #expect(topics.filter { $0 == "session.resumed" }.count == 1)
        }
    }

    @Test func `a strict pause now of a pending one is answered as what it did`() async throws {
        try await withControl(
            steps: "always:\n  log-prompt prompts.txt\n  wait-for .ralph-go\n  emit slice.planned next\n"
        ) { server, workspace in
            let id = try await server.start()
            try await eventually(within: .seconds(20), "an agent at work") {
                !workspace.text("prompts.txt").isEmpty
            }
            _ = try await server.post("/api/sessions/\(id)/pause")

            let now = try await server.post("/api/sessions/\(id)/pause?now=1&strict=1")

            #expect(now.status == 200)
            #expect(try now.object()["changed"] as? Bool == true)
            try await server.waitFor(id, "phase", "suspended")
            #expect(try await server.post("/api/sessions/\(id)/pause?now=1&strict=1").status == 409)
            #expect(try await server.commands(id).last == "pause rejected")
            _ = try await server.send("DELETE", "/api/sessions/\(id)?force=1")
        }
    }

    @Test func `a steered text is numbered and in the next prompt`() async throws {
        try await withControl(
            steps: "always:\n  wait-for .ralph-go\n  log-prompt prompts.txt\n  emit slice.planned x\n"
        ) { server, workspace in
            let id = try await server.start()
            let answer = try await server.post(
                "/api/sessions/\(id)/steer", #"{"message":"use the quagga one\nplease"}"#
            ).object()

            #expect(answer["status"] as? String == "delivered")
            let seq = try #require(answer["seq"] as? Int)
            #expect(answer["event_id"] as? String == "evt_\(id)-\(seq)")
            let page = try await server.get("/api/sessions/\(id)/history?after_seq=\(seq - 1)&limit=1")
                .object()
            let event = try #require((page["events"] as? [[String: Any]])?.first)
            #expect(event["source"] as? String == "user")
            #expect(event["payload"] as? String == "use the quagga one\nplease")
            try workspace.put(".ralph-go")
            try await eventually(within: .seconds(20), "the text in a prompt") {
                workspace.text("prompts.txt").contains("use the quagga one")
            }
            _ = try await server.send("DELETE", "/api/sessions/\(id)?force=1")
        }
    }

    @Test func `an emitted event is answered with its number, and user.abort stops the run`() async throws {
        try await withControl { server, workspace in
            let id = try await server.start()
            let plain = try await server.post(
                "/api/sessions/\(id)/emit", #"{"topic":"tests.pass","payload":{"n":1.50,"l":[1,2]}}"#
            ).object()
            #expect(plain["success"] as? Bool == true)
            #expect(plain["topic"] as? String == "tests.pass")
            #expect(plain["seq"] is Int)
            let page = try await server.get("/api/sessions/\(id)/history?topic=tests.pass").object()
            let event = try #require((page["events"] as? [[String: Any]])?.first)
            #expect(event["payload"] as? String == #"{"n":1.50,"l":[1,2]}"#)

            let abort = try await server.post("/api/sessions/\(id)/emit", #"{"topic":"user.abort"}"#).object()
            #expect(abort["acted"] as? String == "stop")
            #expect(workspace.processes.isEmpty)
            #expect(try await server.status(id)["status"] as? String == "stopped")
        }
    }

    @Test func `an event stops no run of those who may not stop it`() async throws {
        let setup = StandInSetup(steps: "always:\n  wait-for .ralph-go\n")
        try await withStandInWorkspace(setup) { workspace in
            try PairedDevice.store(in: workspace.outside)
            try await withServer(
                in: workspace.outside,
                {
                    $0.ralph = StandIn.ralph
                    $0.apiKey = PairedDevice.key
                }
            ) { server in
                let id = try #require(
                    try await server.post(
                        "/api/runner/start", #"{"working_dir":"project","prompt":"quagga go"}"#,
                        headers: PairedDevice.owner
                    ).object()["id"] as? String)

                let abort = try await server.post(
                    "/api/sessions/\(id)/emit", #"{"topic":"user.abort"}"#,
                    headers: PairedDevice.steer.headers
                ).object()
                #expect(abort["success"] as? Bool == true && abort["acted"] == nil)
                #expect(abort["action_error"] as? String == "insufficient_scope")
                let forced = try await server.post(
                    "/api/sessions/\(id)/emit",
                    #"{"topic":"user.prompt","payload":"restart ralph","force":true}"#,
                    headers: PairedDevice.steer.headers)
                #expect(forced.status == 403, "what it overrides may end the run")

                let status = try await server.get("/api/sessions/\(id)/status", headers: PairedDevice.owner)
                #expect(try status.object()["status"] as? String == "running")
                let stop = try await server.post(
                    "/api/sessions/\(id)/stop?force=1", headers: PairedDevice.owner)
                #expect(stop.status == 200)
            }
        }
    }

    @Test func `a directory with a run refuses another, and names its session`() async throws {
        try await withControl { server, _ in
            let id = try await server.start()
            let second = try await server.post(
                "/api/runner/start", #"{"working_dir":"project","prompt":"quagga go"}"#)

            #expect(second.status == 409)
            #expect(try second.object()["error"] as? String == "already_running")
            #expect(try second.object()["session_id"] as? String == id)
            let stopped = try await server.post("/api/runner/stop?force=1", #"{"session_id":"\#(id)"}"#)
            #expect(stopped.status == 200)
        }
    }

    @Test func `a program that is missing, or ends at once, is told in one line`() async throws {
        try await withControl(configure: { $0.ralph = "/nowhere/ralph" }) { server, workspace in
            let body = #"{"working_dir":"project","prompt":"quagga go"}"#
            let missing = try await server.post("/api/sessions", body)
            #expect(missing.status == 500)
            #expect(try (missing.object()["error"] as? String)?.hasPrefix("failed_to_spawn: ") == true)
            #expect(!workspace.exists(".ralph/loop.lock"))
        }
    }
}
