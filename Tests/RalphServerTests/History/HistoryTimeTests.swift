import Foundation
import RalphServer
import RalphTestSupport
import Testing

/// Where a point in time lies in what has left the ring.
@Suite(.timeLimit(.minutes(1)))
struct HistoryTimeTests {
    private static let start = 1_795_230_000

    /// A row for each second behind ``start``.
    private static func rows(at seconds: some Collection<Int>) -> [String] {
        seconds.map { second in
            let time = Date(timeIntervalSince1970: Double(start + second)).formatted(.iso8601)
            return #"{"topic":"note","ts":"\#(time)","payload":"n"}"# + "\n"
        }
    }

    /// Appends the `first` rows, and the others when these have come.
    private static func append(_ rows: [String], first: Int, to server: RunningServer) async throws {
        try server.root.append("a/.ralph/events.jsonl", rows[..<first].joined())
        _ = try await server.waitForSession("a", events: first)
        try server.root.append("a/.ralph/events.jsonl", rows[first...].joined())
        _ = try await server.waitForSession("a", events: rows.count)
    }

    @Test(arguments: [(-1, 1), (0, 2), (57, 59), (198, 200), (200, 202), (250, 252), (298, 300)])
    func `a time finds its place in what has left the ring, too`(_ seconds: Int, _ first: Int) async throws {
        let since = "since=\(Self.start + seconds)"
        try await withRestartedServer({ $0.ring = 100 }) { server in
            let id = try await server.session("a", lines: 0)
            try await Self.append(Self.rows(at: 0..<300), first: 100, to: server)

            // Memory has them all still.
            try await Self.expect(first, since, of: id, on: server)
            let all = try await server.stream("/api/events?follow=false&" + since)
            #expect(try await all.eventIDs(1) == [first])
        } _: { server in
            let id = try await server.waitForSession("a", events: 300)
            try await Self.expect(first, since, of: id, on: server)
        }
    }

    /// Expects that a page and a stream of session `id` begin with event `first` of 300.
    private static func expect(_ first: Int, _ since: String, of id: String, on server: RunningServer)
        async throws
    {
        let page = try await server.get("/api/sessions/\(id)/history?limit=1&" + since).object()
        #expect((page["events"] as? [[String: Any]])?.first?["seq"] as? Int == first)
        #expect((page["gaps"] as? [Any])?.isEmpty == true)
        let stream = try await server.stream("/api/sessions/\(id)/events?follow=false&" + since)
        #expect(try await stream.eventIDs(301 - first) == Array(first...300))
    }

    @Test func `a time that was told finds all that was told to be later, though the rows say the same`()
        async throws
    {
        try await withRestartedServer({ $0.ring = 100 }) { server in
            _ = try await server.session("a", lines: 0)
            let row = #"{"topic":"note","ts":"2026-11-21T10:40:00Z","payload":"n"}"# + "\n"
            try server.root.append("a/.ralph/events.jsonl", String(repeating: row, count: 300))
            _ = try await server.waitForSession("a", events: 300)
            try server.root.append("a/.ralph/events.jsonl", String(repeating: row, count: 100))
            _ = try await server.waitForSession("a", events: 400)
        } _: { server in
            let id = try await server.waitForSession("a", events: 400)

            // Number 100 was told as 99 ms later than its row says.
            let since = "since=2026-11-21T10:40:00.099Z"
            let stream = try await server.stream("/api/sessions/\(id)/events?follow=false&" + since)
            let ids = try await stream.eventIDs(300)
            #expect(ids.first ?? .max <= 101 && Set(ids).isSuperset(of: 101...300))
        }
    }

    @Test(arguments: [(4096, "later"), (4097, "n")])
    func `of 4096 events the times are looked at one by one, and from there on all are told`(
        _ count: Int, _ payload: String
    ) async throws {
        try await withRestartedServer({ $0.ring = 100 }) { server in
            _ = try await server.session("a", lines: 0)
            let row = #"{"topic":"note","ts":"2026-11-21T10:40:00Z","payload":"n"}"# + "\n"
            let later = #"{"topic":"note","ts":"2026-11-21T10:41:00Z","payload":"later"}"# + "\n"
            for (row, rows) in [(row, 1...100), (row, 101...count), (later, count + 1...count + 200)] {
                try server.root.append("a/.ralph/events.jsonl", String(repeating: row, count: rows.count))
                _ = try await server.waitForSession("a", events: rows.upperBound)
            }
        } _: { server in
            let id = try await server.waitForSession("a", events: count + 200)

            // No event of the first two pieces was told to be later than this.
            let path = "/api/sessions/\(id)/history?limit=1&since=2026-11-21T10:40:01Z"
            let first = (try await server.get(path).object()["events"] as? [[String: Any]])?.first
            #expect(first?["seq"] as? Int == 4097 && first?["payload"] as? String == payload)
        }
    }

    @Test func `a time finds its place behind a file that is gone`() async throws {
        try await withRestartedServer({ $0.ring = 100 }) { server in
            _ = try await server.session("a", lines: 0)
            for (run, rows) in [(1, 1...300), (2, 301...600)] {
                let name = "events-20260101-00000\(run).jsonl"
                let lines = Self.rows(at: rows)
                try server.root.write("a/.ralph/current-events", ".ralph/" + name)
                try server.root.append("a/.ralph/" + name, lines[..<50].joined())
                _ = try await server.waitForSession("a", events: rows.lowerBound + 49)
                try server.root.append("a/.ralph/" + name, lines[50...].joined())
                _ = try await server.waitForSession("a", events: rows.upperBound)
            }
        } _: { server in
            let id = try await server.waitForSession("a", events: 600)
            try server.root.remove("a/.ralph/events-20260101-000001.jsonl")

            for (seconds, first) in [(350, 351), (300, 301), (100, 301)] {
                let page = try await server.get(
                    "/api/sessions/\(id)/history?limit=400&since=\(Self.start + seconds)"
                )
                .object()
                #expect((page["events"] as? [[String: Any]])?.first?["seq"] as? Int == first)
                #expect((page["gaps"] as? [Any])?.isEmpty == (seconds > 300))
            }
        }
    }

    @Test func `an event in the ring that is dated earlier hides no later one that has left it`() async throws
    {
        try await withRestartedServer({ $0.ring = 100 }) { server in
            _ = try await server.session("a", lines: 0)
            let seconds = Array(0..<60) + [0] + Array(100..<199)
            try await Self.append(Self.rows(at: seconds), first: 60, to: server)
        } _: { server in
            let id = try await server.waitForSession("a", events: 160)

            let since = "since=\(Self.start + 30)"
            let page = try await server.get("/api/sessions/\(id)/history?limit=1&" + since).object()
            #expect((page["events"] as? [[String: Any]])?.first?["seq"] as? Int == 32)
            let stream = try await server.stream("/api/sessions/\(id)/events?follow=false&" + since)
            #expect(try await stream.eventIDs(129) == Array(32...160))
        }
    }
}
