import Foundation
import RalphServer
import RalphTestSupport
import Testing

/// What a client is told of its cursor when no event tells it: what it comes back with.
@Suite(.timeLimit(.minutes(1)))
struct StreamCursorTests {
    /// The next frame that says it is the end of the replay.
    private func synced(_ probe: HTTPProbe) async throws -> HTTPProbe.Frame {
        while let frame = try await probe.frame() {
            if frame.event == "synced" || frame.comments.contains(where: { $0.hasPrefix("synced") }) {
                return frame
            }
        }
        throw ProbeError.ended
    }

    /// The ids of the next `count` keep-alives.
    private func keepAlives(_ probe: HTTPProbe, _ count: Int) async throws -> [String?] {
        var ids: [String?] = []
        while ids.count < count, let frame = try await probe.frame() {
            if frame.comments == ["keep-alive"] { ids.append(frame.id) }
        }
        return ids
    }

    private enum ProbeError: Error { case ended }

    @Test(arguments: [
        ("topic=none.*", "10"), ("topic=*.odd", "10"), ("topic=*.even", nil), ("tail=0", "10"),
        ("replay=none", "10"), ("since=10m", "10"), ("tail=3", nil), ("", nil), ("after_seq=10", nil),
        ("last_event_id=10", nil), ("last_event_id=9&topic=*.odd", "10"), ("since=latest&topic=*.odd", "10"),
    ])
    func `the end of the replay tells a cursor that no event has told`(
        _ given: (query: String, id: String?)
    ) async throws {
        try await withServer { server in
            let id = try await server.session("a", lines: 10)
            for path in ["/api/sessions/\(id)/events", "/api/events"] {
                for control in ["comments", "events"] {
                    let query = "?control=\(control)&poll=1&\(given.query)"
                    let frame = try await synced(try await server.stream(path + query))

                    #expect(frame.id == given.id, "\(path)\(query)")
                    #expect(frame.data.isEmpty == (control == "comments"))
                }
            }
        }
    }

    @Test func `a session without events is a cursor too`() async throws {
        try await withServer { server in
            let id = try await server.session("a", lines: 0)
            let probe = try await server.stream("/api/sessions/\(id)/events")
            #expect(try await synced(probe).id == "0")

            try server.append("a", 1...2)
            #expect(try await probe.eventIDs(2) == [1, 2])
            let frames = try await server.events(
                "/api/sessions/\(id)/events?poll=1", headers: ["Last-Event-ID": "0"])
            #expect(frames.compactMap(\.id) == ["1", "2"])
        }
    }

    @Test func `a keep-alive tells the cursor once when it has passed the last id`() async throws {
        try await withServer({ $0.streams.keepAliveSeconds = 1 }) { server in
            let id = try await server.session("a", lines: 10)
            for path in ["/api/sessions/\(id)/events", "/api/events"] {
                let plain = try await server.stream(path)
                let filtered = try await server.stream(path + "?topic=*.even")
                _ = try await (synced(plain), synced(filtered))
                #expect(try await keepAlives(plain, 1) == [nil])
                #expect(try await keepAlives(filtered, 1) == [nil])
            }

            let filtered = try await server.stream("/api/events?topic=*.even")
            let plain = try await server.stream("/api/events")
            _ = try await (synced(plain), synced(filtered))
            try server.append("a", 11...11)
            #expect(try await plain.eventIDs(1) == [11])
            #expect(try await keepAlives(plain, 1) == [nil])
            var told: [String?] = []
            try await eventually(within: .seconds(20), "the cursor") {
                told += try await keepAlives(filtered, 1)
                return told.contains("11")
            }
            #expect(told.compactMap(\.self) == ["11"])
            #expect(try await keepAlives(filtered, 1) == [nil])
        }
    }

    @Test func `who comes back with the cursor of a quiet stream misses nothing, and is told of no gap`()
        async throws
    {
        try await withTemporaryDirectory { directory in
            let path = "/api/events?topic=human.*"
            let question = #"{"topic":"human.interact","ts":"2026-11-21T03:20:36Z","payload":"?"}"# + "\n"
            try await withServer(in: directory, { $0.ring = 100 }) { server in
                _ = try await server.session("a", lines: 100)
                try server.append("a", 101...350)
                _ = try await server.waitForSession("a", events: 350)
                let probe = try await server.stream(path)
                #expect(try await synced(probe).id == "350")

                probe.close()
                try server.root.append("a/.ralph/events.jsonl", question)
                try server.append("a", 351...1000)
                _ = try await server.waitForSession("a", events: 1001)
                let missed = try await server.events(path + "&poll=1", headers: ["Last-Event-ID": "350"])
                #expect(missed.compactMap(\.id) == ["351"])
            }
            try await withServer(in: directory, { $0.ring = 100 }) { server in
                _ = try await server.waitForSession("a", events: 1001)
                let probe = try await server.stream(path + "&poll=1", headers: ["Last-Event-ID": "1001"])
                var comments: [String] = []
                while let frame = try await probe.frame() { comments += frame.comments }
                #expect(
                    !comments.contains { $0.hasPrefix("gap") } && comments.last?.hasPrefix("synced") == true)
            }
        }
    }

    @Test func `the end of the server tells the cursor`() async throws {
        try await withTemporaryDirectory { directory in
            var quiet: HTTPProbe?
            try await withServerParts(in: directory) { server, _ in
                _ = try await server.session("a", lines: 10)
                let probe = try await server.stream("/api/events?topic=none.*")
                let all = try await server.stream("/api/events")
                _ = try await (synced(probe), synced(all))
                try server.append("a", 11...12)
                #expect(try await all.eventIDs(2) == [11, 12])
                quiet = probe
            }
            var last: HTTPProbe.Frame?
            while let frame = try await quiet?.frame() { last = frame }
            #expect(last?.retry != nil && last?.id == "12")
        }
    }

    @Test func `lines of JSON stay as they are`() async throws {
        try await withServer { server in
            _ = try await server.session("a", lines: 3)
            let path = "/api/events.ndjson?poll=1&topic=none.*"
            #expect(try await server.stream(path).linesToEnd().isEmpty)
            let lines = try await server.stream(path + "&control=events").linesToEnd()

            #expect(lines.count == 1 && lines[0].hasPrefix(#"{"synced":{"head":3,"#))
        }
    }

    @Test func `over HTTP2 the end of the replay tells it too`() async throws {
        try await withServer({ $0.tls = .selfSigned }) { server in
            try server.root.write("a/.ralph/events.jsonl", RunningServer.lines(1...10, when: true))
            let probe = try await HTTP2Probe(port: server.port)
            let id = try await probe.session("a", events: 10)
            let path = "/api/sessions/\(id)/events?poll=1"

            let filtered = try await probe.get(path + "&topic=none.*").text
            #expect(filtered.hasSuffix("\n\n") && filtered.contains("\n\nid: 10\n: synced {\"head\":10,"))
            let plain = try await probe.get(path).text
            #expect(plain.components(separatedBy: "id: 10\n").count == 2)
        }
    }
}
