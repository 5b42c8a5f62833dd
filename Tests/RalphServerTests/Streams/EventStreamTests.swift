import Foundation
import RalphServer
import RalphTestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct EventStreamTests {
    @Test func `a stream opens with a padded comment and a retry time`() async throws {
        try await withServer { server in
            let id = try await server.session("a", lines: 0)
            let probe = try server.probe()
            try await probe.request("/api/sessions/\(id)/events")
            let head = try await probe.head()
            let first = try await probe.frame()

            #expect(head.headers["content-type"] == "text/event-stream")
            #expect(head.headers["cache-control"] == "no-cache, no-transform")
            #expect(head.headers["x-accel-buffering"] == "no")
            #expect(head.headers["x-content-type-options"] == "nosniff")
            #expect(head.headers["connection"] == "keep-alive")
            #expect(head.headers["content-encoding"] == nil)
            #expect(first?.comments.first.map { $0.utf8.count >= 1024 } == true)
            #expect(first?.retry == "2000")
        }
    }

    @Test func `a comment comes every fifteen seconds, and connections outlive a pause of two minutes`() {
        #expect(StreamLimits().keepAliveSeconds == 15)
        #expect(StreamLimits().stallSeconds == 60)
        #expect(HTTPLimits().idleSeconds >= 120)
    }

    @Test func `an unknown session is a 404 before any byte of a stream`() async throws {
        try await withServer { server in
            let response = try await server.get("/api/sessions/0123456789abcdef/events")

            #expect(response.status == 404)
            #expect(try response.object()["error"] as? String == "session_not_found")
        }
    }

    @Test func `an event is one data line named workflow`() async throws {
        try await withServer { server in
            let id = try await server.session("a", lines: 1)
            let frame = try await server.events("/api/sessions/\(id)/events?tail=all&follow=false").first
            let event = try frame?.object()

            #expect(frame?.id == "1")
            #expect(frame?.event == "workflow")
            #expect(frame?.data.count == 1)
            #expect(event?["id"] as? String == "evt_\(id)-1")
            #expect(event?["session_id"] as? String == id)
            #expect(event?["payload"] as? String == "n1")
            #expect(event?["ts_raw"] as? String == "2026-11-21T03:20:36.100001Z")
        }
    }

    @Test func `replay goes over into live without a hole`() async throws {
        try await withServer { server in
            let id = try await server.session("a", lines: 20)
            let probe = try await server.stream("/api/sessions/\(id)/events")
            #expect(try await probe.eventIDs(20) == Array(1...20))

            try server.append("a", 21...25)
            #expect(try await probe.eventIDs(5) == Array(21...25))
        }
    }

    @Test func `without a cursor the newest five hundred come first`() async throws {
        try await withServer { server in
            let id = try await server.session("a", lines: 700)
            let frames = try await server.events("/api/sessions/\(id)/events?follow=false")

            #expect(frames.compactMap(\.id) == (201...700).map(String.init))
        }
    }

    @Test(arguments: [
        ("8", "", 8), (nil, "last_event_id=6", 6), (nil, "after_seq=4", 4), (nil, "since=2", 2),
        (nil, "tail=3", 7), (nil, "tail=0", 10), (nil, "tail=all", 0), (nil, "replay=none", 10),
        (nil, "since=latest", 9), (nil, "since=all", 0),
        // Each before all that come behind it; an empty header is none.
        ("8", "last_event_id=6&after_seq=4&since=2&tail=1&replay=all", 8),
        ("", "last_event_id=6&after_seq=4&since=2&tail=1&replay=all", 6),
        (nil, "after_seq=4&since=2&tail=1&replay=all", 4), (nil, "since=2&tail=1&replay=all", 2),
        (nil, "tail=1&replay=all", 9),
        (nil, "poll=1&since=10m", 10), (nil, "since=2026-11-21T03:20:36.104Z", 10),
        (nil, "since=1763695236", 0),
    ])
    func `the start follows the order of precedence`(_ given: (header: String?, query: String, after: Int))
        async throws
    {
        try await withServer { server in
            let id = try await server.session("a", lines: 10)
            let headers = given.header.map { ["Last-Event-ID": $0] } ?? [:]
            let frames = try await server.events(
                "/api/sessions/\(id)/events?follow=false&" + given.query, headers: headers)
            let expected = given.after < 10 ? (given.after + 1...10).map(String.init) : []

            #expect(frames.compactMap(\.id) == expected)
        }
    }

    @Test(arguments: ["abc", "-1", "1.5", "99999999999999999999", "00000000:", "evt_abc-1", "1 2"])
    func `a header that is no cursor is a 400, also beside one that is`(_ header: String) async throws {
        try await withServer { server in
            let id = try await server.session("a", lines: 1)
            for query in ["", "last_event_id=1"] {
                let response = try await server.get(
                    "/api/sessions/\(id)/events?" + query, headers: ["Last-Event-ID": header])

                #expect(response.status == 400)
                #expect((try response.object()["error"] as? String)?.hasPrefix("invalid_request:") == true)
            }
        }
    }

    @Test(arguments: [
        "last_event_id=abc", "last_event_id=-1", "after_seq=1.5", "tail=-1", "tail=x", "since=yesterday",
        "last_event_id=99999999999999999999", "replay=maybe", "control=x", "event=x", "follow=perhaps",
        "since=10y", "last_event_id=%FF", "last_event_id=%zz", "last_event_id=1&after_seq=x",
        "after_seq=1&since=yesterday", "since=1&tail=x", "tail=1&replay=maybe",
    ])
    func `what is no start is a 400 and nothing is guessed`(_ query: String) async throws {
        try await withServer { server in
            let id = try await server.session("a", lines: 1)
            let response = try await server.get("/api/sessions/\(id)/events?" + query)

            #expect(response.status == 400)
            #expect((try response.object()["error"] as? String)?.hasPrefix("invalid_request:") == true)
        }
    }

    @Test(arguments: [
        (nil, "last_event_id=00000000:5"), (nil, "last_event_id=5&epoch=00000000"),
        (nil, "last_event_id=4000"), ("00000000:5", ""), ("5", "epoch=00000000"), ("4000", "after_seq=5"),
    ])
    func `a cursor of another store is a gap and then everything kept`(
        _ given: (header: String?, query: String)
    ) async throws {
        try await withServer { server in
            let id = try await server.session("a", lines: 10)
            let probe = try await server.stream(
                "/api/sessions/\(id)/events?follow=false&" + given.query,
                headers: given.header.map { ["Last-Event-ID": $0] } ?? [:])
            let opening = try await probe.frame()
            let gap = try await probe.frame()

            #expect(opening?.retry != nil)
            #expect(gap?.comments.first?.hasPrefix("gap {") == true)
            #expect(gap?.comments.first?.contains("unknown_cursor") == true)
            #expect(try await probe.eventIDs(10) == Array(1...10))
            #expect(try await server.streams()["gaps"] == 1)
            #expect(try await server.figure("stream_gaps_total") == 1)
        }
    }

    @Test func `a cursor older than the ring is served from the files with exact numbers`() async throws {
        try await withServer({ $0.ring = 100 }) { server in
            let id = try await server.session("a", lines: 90)
            for start in stride(from: 91, to: 1000, by: 70) {
                try server.append("a", start...start + 69)
                _ = try await server.waitForSession("a", events: start + 69)
            }
            let frames = try await server.events("/api/sessions/\(id)/events?tail=all&follow=false")

            #expect(frames.compactMap(\.id) == (1...1000).map(String.init))
            #expect(try frames.map { try $0.object()["payload"] as? String } == (1...1000).map { "n\($0)" })
            let behind = try await server.events(
                "/api/sessions/\(id)/events?follow=false", headers: ["Last-Event-ID": "5"])
            #expect(behind.compactMap(\.id) == (6...1000).map(String.init))
        }
    }

    @Test func `the end of the replay is announced with the head and the epoch`() async throws {
        try await withServer { server in
            let id = try await server.session("a", lines: 2)
            let probe = try await server.stream("/api/sessions/\(id)/events?control=events")
            _ = try await probe.eventIDs(2)
            let synced = try await probe.event()

            #expect(synced?.event == "synced")
            #expect(synced?.id == nil)
            #expect(try synced?.object()["head"] as? Int == 2)
            let status = try await server.get("/api/sessions/\(id)/status").object()
            let epoch = try #require(status["epoch"] as? String)
            #expect(try synced?.object()["epoch"] as? String == epoch && !epoch.isEmpty)
        }
    }

    @Test func `events can come without a name`() async throws {
        try await withServer { server in
            let id = try await server.session("a", lines: 1)
            let frame = try await server.events("/api/sessions/\(id)/events?event=none&follow=false").first

            #expect(frame?.event == nil)
            #expect(frame?.id == "1")
        }
    }

    @Test(arguments: [
        ("*.even", 5), ("note.*", 10), ("note.odd,note.even", 10), ("other", 0), ("note.e*n", 5),
    ])
    func `topics let through what their globs cover`(_ given: (glob: String, count: Int)) async throws {
        try await withServer { server in
            let id = try await server.session("a", lines: 10)
            let frames = try await server.events(
                "/api/sessions/\(id)/events?follow=false&topic=\(given.glob)")

            #expect(frames.count == given.count)
        }
    }

    @Test func `payloads can come structured`() async throws {
        try await withServer { server in
            let line = #"{"topic":"t","ts":"2026-11-21T03:20:36Z","payload":{"a":["}",1]},"n":"x"}"#
            try server.root.write("a/.ralph/events.jsonl", line + "\n")
            let id = try await server.waitForSession("a", events: 1)
            let path = "/api/sessions/\(id)/events?follow=false"
            let text = try await server.events(path).first?.object()
            let structured = try await server.events(path + "&payload=object").first?.object()

            #expect(text?["payload"] as? String == #"{"a":["}",1]}"#)
            #expect((structured?["payload"] as? [String: Any])?["a"] as? [AnyHashable] == ["}", 1])
            #expect(structured?["data"] == nil)
            #expect((structured?["extra"] as? [String: String])?["n"] == "x")
        }
    }

    @Test func `lines of JSON are the same events`() async throws {
        try await withServer { server in
            let id = try await server.session("a", lines: 3)
            let probe = try await server.stream("/api/sessions/\(id)/events.ndjson?poll=1")
            let lines = try await probe.linesToEnd()

            #expect(lines.count == 3)
            #expect(lines.allSatisfy { $0.hasPrefix(#"{"id":"evt_"#) && $0.hasSuffix("}") })
        }
    }

    @Test func `what is missing among lines of JSON is a line`() async throws {
        try await withServer { server in
            let id = try await server.session("a", lines: 3)
            let path = "/api/sessions/\(id)/events.ndjson?poll=1&after_seq=99"
            let lines = try await server.stream(path).linesToEnd()
            #expect(
                lines.first == #"{"gap":{"from":1,"to":0,"reason":"unknown_cursor"}}"# && lines.count == 4)

            let more = try await server.stream(path + "&control=events").linesToEnd()
            #expect(more.last?.hasPrefix(#"{"synced":{"head":3,"epoch":""#) == true && more.count == 5)
        }
    }

    @Test(arguments: [
        ("APPLICATION/JSON", "application/json"), ("application/json;q=0", "text/event-stream"),
        ("application/json-seq", "text/event-stream"),
        ("text/event-stream;q=0.5, application/json", "application/json"),
    ])
    func `a page instead of the stream is for those who like it better`(
        _ accept: String, _ type: String
    ) async throws {
        try await withServer { server in
            let id = try await server.session("a", lines: 1)
            let probe = try server.probe()
            try await probe.request("/api/sessions/\(id)/events", headers: ["Accept": accept])
            let head = try await probe.head()

            #expect(head.status == 200 && head.headers["content-type"] == type)
        }
    }

    @Test func `a cursor of another session is unknown here`() async throws {
        try await withServer { server in
            let id = try await server.session("a", lines: 3)
            let other = try await server.session("b", lines: 3)
            let path = "/api/sessions/\(id)/events?follow=false&last_event_id="
            #expect(try await server.events(path + "evt_\(id)-2").compactMap(\.id) == ["3"])

            let probe = try await server.stream(path + "evt_\(other)-2")
            _ = try await probe.frame()
            #expect(try await probe.frame()?.comments.first?.contains("unknown_cursor") == true)
            #expect(try await probe.eventsToEnd().compactMap(\.id) == ["1", "2", "3"])
        }
    }

    @Test func `a client of HTTP 1_0 gets the stream without chunks`() async throws {
        try await withServer { server in
            let id = try await server.session("a", lines: 2)
            let probe = try server.probe()
            try await probe.send(
                "GET /api/sessions/\(id)/events?follow=false HTTP/1.0\r\nHost: localhost\r\n\r\n")
            let head = try await probe.head()

            #expect(head.headers["transfer-encoding"] == nil)
            #expect(try await probe.eventsToEnd().count == 2)
        }
    }
}
