import Foundation
import RalphTestSupport
import RalphWire
import Testing

@Suite(.timeLimit(.minutes(1)))
struct SessionRoutesTests {
    @Test(arguments: [
        "status?after_seq=0", "history?after_seq=0&limit=1000", "history?limit=1000",
        "history?before_seq=999999999&limit=1000",
    ])
    func `an answer's events end at the last_seq that it tells, whatever comes meanwhile`(_ path: String)
        async throws
    {
        try await withServer { server in
            let id = try await server.session("a", lines: 1)
            let writing = Task {
                for number in 2...600 { try server.append("a", number...number) }
            }
            var last = 0
            while last < 600 {
                let answer = try await server.get("/api/sessions/\(id)/\(path)").object()
                last = try #require(answer["last_seq"] as? Int)
                for name in ["events", "recent_events"] {
                    let events = answer[name] as? [[String: Any]]
                    try #require(events == nil || events?.last?["seq"] as? Int == last, "\(name)")
                }
            }
            try await writing.value
        }
    }

    @Test func `a run that died before anybody looked is over, however young its last event is`() async throws
    {
        try await withServer { server in
            let now = Timestamp.text(WallClock.milliseconds())
            try server.root.write(
                "dead/.ralph/loop.lock", #"{"pid":2147483647,"started":"\#(now)","prompt":"p"}"#)
            try server.root.write(
                "dead/.ralph/events.jsonl",
                #"{"ts":"\#(now)","iteration":0,"hat":"loop","topic":"task.start","payload":"p"}"# + "\n")
            let id = try await server.waitForSession("dead", events: 1)

            try await eventually(within: .seconds(5), "the state of its lock") {
                try await server.get("/api/sessions/\(id)/status").object()["status"] as? String == "idle"
            }
        }
    }

    @Test func `an empty root is an empty list`() async throws {
        try await withServer { server in
            let response = try await server.get("/api/sessions")
            #expect(response.text == "[]")
        }
    }

    @Test(arguments: [
        "%00", "..", "%2e%2e%2f", "a", "0123456", "ffffffffffffffffffffff", "%F0%9F%8D%8E", "%ff%fe",
        "01234567%20",
        "ABCDEF0123456789", "%zz", "';drop table", "-1", "12345678", "{id}", ":id", "*",
    ])
    func `an id of any bytes that is none is a 404`(_ id: String) async throws {
        try await withServer { server in
            for part in [
                "", "/status", "/history", "/iterations", "/scratchpad", "/events", "/events.ndjson",
                "/export", "/diff", "/commands",
            ] {
                let response = try await server.get("/api/sessions/\(id.replacing(" ", with: "%20"))\(part)")
                #expect(response.status == 404)
            }
        }
    }

    @Test func `an id is no other spelling of one that is there`() async throws {
        try await withServer { server in
            let id = try await server.session("a", lines: 1)
            let spellings = [id + "%20", id + "%00", "%00" + id, id + "0", id.uppercased(), "", "*"]
            for spelling in spellings where spelling != id {
                for part in [
                    "/status", "/history", "/iterations", "/scratchpad", "/events", "/events.ndjson",
                ] {
                    let response = try await server.get("/api/sessions/\(spelling)\(part)")
                    #expect(response.status == 404, "\(spelling)\(part)")
                }
                // Without an id it is the list.
                let response = try await server.get("/api/sessions/\(spelling)")
                #expect(response.status == (spelling.isEmpty ? 200 : 404), "\(spelling)")
            }
        }
    }

    @Test func `iterations of a log that cannot be read are a 500, and none of an empty one`() async throws {
        try await withServer { server in
            try server.root.write("a/.ralph/events-20261121-032036.jsonl/x", "")
            try server.root.write("a/.ralph/current-events", ".ralph/events-20261121-032036.jsonl")
            try server.root.write("b/.ralph/events.jsonl", "")
            // Refused; the empty file is read in its place.
            try server.root.write("b/.ralph/current-events", "/etc/events-20261121-032036.jsonl")
            let ids = [
                try await server.waitForSession("a", events: 0),
                try await server.waitForSession("b", events: 0),
            ]
            try await eventually(within: .seconds(10), "a problem") {
                try await server.get("/api/sessions/\(ids[0])/status").object()["problems"] != nil
            }
            let response = try await server.get("/api/sessions/\(ids[0])/iterations")
            let empty = try await server.get("/api/sessions/\(ids[1])/iterations")

            #expect(response.status == 500)
            let error = try #require(try response.object()["error"] as? String)
            #expect(error.hasPrefix("failed_to_parse_events: ") && error.contains("a/.ralph/events-"))
            #expect(try empty.object()["total"] as? Int == 0)
            let status = try await server.get("/api/sessions/\(ids[1])/status").object()
            #expect((status["problems"] as? [String])?.count == 1)
        }
    }

    @Test func `a query may have 64 items`() async throws {
        try await withServer { server in
            let items = Array(repeating: "a=1", count: 64).joined(separator: "&")
            #expect(
                try await server.get("/api/search?\(items)").text.contains("too many query items") == false)
            let response = try await server.get("/api/search?\(items)&q=x")

            #expect(response.status == 400)
            #expect(try response.object()["error"] as? String == "invalid_request: too many query items")
        }
    }

    @Test func `a unique prefix of eight digits is enough`() async throws {
        try await withServer { server in
            let id = try await server.session("a", lines: 1)
            let status = try await server.get("/api/sessions/\(id.prefix(8))/status").object()

            #expect(status["id"] as? String == id)
            #expect(try await server.get("/api/sessions/\(id.prefix(7))/status").status == 404)
        }
    }

    @Test func `the status has every field that the client must find`() async throws {
        try await withServer { server in
            try Samples.copy("a-normal-multi-hat", to: server.root.path + "/a")
            let id = try await server.waitForSession("a", events: 10)
            let status = try await server.get("/api/sessions/\(id)/status").object()

            #expect(status["iteration"] as? Int == 10)
            #expect(status["status"] as? String == "completed")
            #expect(status["mode"] as? String == "complete")
            #expect((status["started_at"] as? String)?.hasSuffix("Z") == true)
            #expect(status["elapsed_secs"] is Int)
            #expect((status["recent_events"] as? [Any])?.count == 10)
            #expect(status["token_metrics"] is [String: Any])
            #expect(status["backpressure"] is [String: Any])
            #expect(status["pending_questions"] as? Int == 0)
        }
    }

    @Test func `a status tells what the last checks came to, and how long it may take still`() async throws {
        try await withServer { server in
            let start = WallClock.milliseconds() - 60_000
            func row(_ seconds: Int64, _ members: String) -> String {
                #"{"ts":"\#(Timestamp.text(start + seconds * 1000))",\#(members)}"# + "\n"
            }
            let checks = "tests: pass, lint: fail, typecheck: pass, audit: pass, coverage: pass"
            func summary(_ milliseconds: Int) -> String {
                #""hat":"loop","topic":"iteration.summary","payload":"{\"duration_ms\":\#(milliseconds)}""#
            }
            try server.root.write("a/ralph.yml", "event_loop:\n  max_iterations: 7\n")
            try server.root.write(
                "a/.ralph/events.jsonl",
                row(0, #""iteration":0,"hat":"loop","topic":"task.start","payload":"p""#)
                    + row(4, #""topic":"build.done","payload":"\#(checks)""#)
                    + row(10, #""iteration":1,"# + summary(10_000))
                    + row(31, #""iteration":2,"# + summary(21_000)))
            let id = try await server.waitForSession("a", events: 6)
            let status = try await server.get("/api/sessions/\(id)/status").object()
            #expect(status["avg_iteration_secs"] as? Double == 15.5)
            // Five of seven iterations.
            #expect(status["estimated_remaining_secs"] as? Int == 77)
            let verdict = try #require(status["backpressure"] as? [String: Any])

            #expect(verdict["tests"] as? Bool == true && verdict["lint"] as? Bool == false)
            #expect(verdict["typecheck"] as? Bool == true)
            #expect(verdict["checked_at"] as? String == Timestamp.text(start + 4000))
        }
    }

    @Test(arguments: ["limit=0", "limit=x", "after_seq=1&since=x", "after_seq=-1"])
    func `a status that cannot be is a 400`(_ query: String) async throws {
        try await withServer { server in
            let id = try await server.session("a", lines: 1)

            #expect(try await server.get("/api/sessions/\(id)/status?" + query).status == 400)
        }
    }

    @Test func `a status gives what was missed`() async throws {
        try await withServer { server in
            let id = try await server.session("a", lines: 30)
            let status = try await server.get("/api/sessions/\(id)/status?after_seq=10&limit=15").object()
            let events = status["events"] as? [[String: Any]] ?? []

            #expect(events.compactMap { $0["seq"] as? Int } == Array(11...25))
            #expect(status["has_more"] as? Bool == true)
        }
    }

    @Test func `iterations are those of the last run in their order`() async throws {
        try await withServer { server in
            try Samples.copy("a-normal-multi-hat", to: server.root.path + "/a")
            let id = try await server.waitForSession("a", events: 10)
            let answer = try await server.get("/api/sessions/\(id)/iterations").object()
            let iterations = answer["iterations"] as? [[String: Any]] ?? []

            #expect(iterations.compactMap { $0["number"] as? Int } == Array(1...10))
            #expect(answer["total"] as? Int == 10)
            #expect(iterations.allSatisfy { $0["started_at"] is String })
        }
    }

    @Test func `of a very long run the newest iterations are listed, and all are counted`() async throws {
        try await withServer { server in
            let id = try await server.session("a", lines: 0)
            let start =
                #"{"ts":"2026-11-21T10:00:00Z","iteration":0,"hat":"loop","topic":"task.start"}"# + "\n"
            let ends = (1...1005).map { number in
                #"{"ts":"2026-11-21T11:00:00Z","iteration":\#(number),"hat":"loop","topic":"iteration.summary"}"#
                    + "\n"
            }
            try server.root.append("a/.ralph/events.jsonl", start + ends[..<500].joined())
            _ = try await server.waitForSession("a", events: 1000)
            try server.root.append("a/.ralph/events.jsonl", ends[500...].joined())
            try await eventually(within: .seconds(10), "all iterations") {
                let answer = try await server.get("/api/sessions/\(id)/iterations").object()
                let numbers = (answer["iterations"] as? [[String: Any]])?.compactMap { $0["number"] as? Int }
                return numbers?.count == 1000 && numbers?.last == answer["total"] as? Int
                    && numbers?.last ?? 0 >= 1005
            }
        }
    }

    @Test func `iterations of an unknown session name it`() async throws {
        try await withServer { server in
            let response = try await server.get("/api/sessions/0123456789abcdef/iterations").object()

            #expect(response["error"] as? String == "session_not_found: 0123456789abcdef")
        }
    }

    @Test func `the scratchpad is the workspace's`() async throws {
        try await withServer { server in
            let id = try await server.session("a", lines: 1)
            let empty = try await server.get("/api/sessions/\(id)/scratchpad").object()
            #expect(empty["content"] as? String == "")
            #expect(empty["updated_at"] is NSNull)

            try server.root.write("a/.ralph/agent/scratchpad.md", "# Plan\n")
            let full = try await server.get("/api/sessions/\(id)/scratchpad").object()
            #expect(full["content"] as? String == "# Plan\n")
            #expect(full["updated_at"] is String && full["truncated"] == nil)

            for (count, isCut) in [(4 << 20, false), ((4 << 20) + 1, true)] {
                try server.root.write("a/.ralph/agent/scratchpad.md", String(repeating: "x", count: count))
                let large = try await server.get("/api/sessions/\(id)/scratchpad").object()
                #expect((large["content"] as? String)?.utf8.count == 4 << 20)
                #expect(large["truncated"] as? Bool == (isCut ? true : nil))
            }
        }
    }

    @Test(arguments: ["notes/pad.md", "{path: notes/pad.md}"])
    func `a scratchpad that is configured comes first`(_ value: String) async throws {
        try await withServer { server in
            try server.root.write("a/ralph.yml", "core:\n  scratchpad: \(value)\n")
            let id = try await server.session("a", lines: 1)
            try server.root.write("a/.ralph/agent/scratchpad.md", "old")
            let usual = try await server.get("/api/sessions/\(id)/scratchpad").object()
            #expect(usual["content"] as? String == "old")

            try server.root.write("a/notes/pad.md", "new")
            let configured = try await server.get("/api/sessions/\(id)/scratchpad").object()
            #expect(configured["content"] as? String == "new")
        }
    }

    @Test func `a session comes with its conversation`() async throws {
        try await withServer { server in
            try Samples.copy("c-guidance-and-steer", to: server.root.path + "/c")
            let id = try await server.waitForSession("c", events: 10)
            let session = try await server.get("/api/sessions/\(id)").object()["session"] as? [String: Any]
            let messages = session?["messages"] as? [[String: Any]] ?? []

            #expect(messages.contains { $0["role"] as? String == "user" })
            #expect(messages.allSatisfy { $0["content"] is String && $0["seq"] is Int })
        }
    }

    @Test(arguments: ["", "?after_seq=3&limit=4", "?since=all"])
    func `a session is all of its status and the conversation`(_ query: String) async throws {
        try await withServer { server in
            try Samples.copy("c-guidance-and-steer", to: server.root.path + "/c")
            let id = try await server.waitForSession("c", events: 10)
            // Of what is copied behind the events, too.
            try await eventually(within: .seconds(10), "the loop's name") {
                try await server.get("/api/sessions/\(id)/status").object()["loop_id"] != nil
            }
            let status = try await server.get("/api/sessions/\(id)/status\(query)").object()
            let session = try await server.get("/api/sessions/\(id)\(query)").object()

            #expect(Set(session.keys) == Set(status.keys).union(["session"]))
            for name in ["recent_events", "events"] {
                let (expected, found) = (status[name] as? [[String: Any]], session[name] as? [[String: Any]])
                #expect(expected?.map { $0["id"] as? String } == found?.map { $0["id"] as? String })
            }
            #expect((session["events"] as? [Any])?.isEmpty == (query.isEmpty ? nil : false))
        }
    }

    @Test(arguments: ["limit=0", "after_seq=x"])
    func `a session that cannot be is a 400 as its status is`(_ query: String) async throws {
        try await withServer { server in
            let id = try await server.session("a", lines: 1)

            #expect(try await server.get("/api/sessions/\(id)?" + query).status == 400)
        }
    }

    @Test func `a hat of an iteration that nobody knows is null`() async throws {
        try await withServer { server in
            try Samples.copy("h-hook-suspend-resume", to: server.root.path + "/h")
            let id = try await server.waitForSession("h", events: 1)
            let text = try await server.get("/api/sessions/\(id)/iterations").text

            #expect(text.contains(#""hat":null,"number":"#))
        }
    }

    @Test func `the index lists the routes`() async throws {
        try await withServer { server in
            let index = try await server.get("/").object()

            #expect(index["name"] as? String == "ralph-mobile-server")
            #expect((index["endpoints"] as? [String])?.contains("GET /api/sessions/{id}/events") == true)
        }
    }
}
