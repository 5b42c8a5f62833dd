import Foundation
import RalphTestSupport
import RalphWire
import Testing

@testable import RalphServer

@Suite(.timeLimit(.minutes(1)))
struct FigureRoutesTests {
    private static func number(_ object: [String: Any], _ name: String) -> Int {
        object[name] as? Int ?? -1
    }

    private static func recent(_ ago: Int64) -> FigureRows {
        FigureRows(start: WallClock.milliseconds() - ago * 1000)
    }

    @Test func `a recording's figures agree with its raw file and with its status`() async throws {
        try await withServer { server in
            try Samples.copy("a-normal-multi-hat", to: server.root.path + "/a")
            let id = try await server.waitForSession("a", events: 10)
            let metrics = try await server.get("/api/sessions/\(id)/metrics").object()
            let status = try await server.get("/api/sessions/\(id)/status").object()

            let totals = metrics["totals"] as? [String: Any] ?? [:]
            #expect(Self.number(totals, "runs") == 1 && Self.number(totals, "iterations") == 10)
            #expect(Self.number(totals, "worked_ms") == 2403)  // 03:20:36.901 to 03:20:39.304
            #expect(Self.number(totals, "worked_ms") / 1000 == status["elapsed_secs"] as? Int)
            let days = metrics["days"] as? [[String: Any]] ?? []
            #expect(days.count == 1 && Self.number(days[0], "iterations") == 10)
            let last = try #require(status["token_metrics"] as? [String: Any])
            #expect(last.count > 5)
            for (name, value) in last { #expect(metrics[name] as? NSNumber == value as? NSNumber) }
        }
    }

    @Test func `tokens and costs are metrics, and logs are the history`() async throws {
        try await withServer { server in
            let rows = Self.recent(60)
            try server.root.write("a/.ralph/events.jsonl", rows.begin() + rows.summary(5, 1, output: 4))
            try server.root.append("a/.ralph/events.jsonl", rows.end(9, 1))
            let id = try await server.waitForSession("a", events: 8)
            let metrics = try await server.get("/api/sessions/\(id)/metrics").text

            for name in ["tokens", "costs"] {
                #expect(try await server.get("/api/sessions/\(id)/\(name)").text == metrics)
            }
            let history = try await server.get("/api/sessions/\(id)/history?limit=3").text
            #expect(try await server.get("/api/sessions/\(id)/logs?limit=3").text == history)
            #expect(try await server.get("/api/sessions/ffffffffffffffff/metrics").status == 404)
            #expect(try await server.get("/api/sessions/%00/tokens").status == 404)
        }
    }

    @Test func `a server that comes back goes on counting`() async throws {
        try await withTemporaryDirectory { directory in
            let rows = Self.recent(600)
            try directory.write(
                "a/.ralph/events.jsonl", rows.begin() + rows.summary(5, 1, output: 4, cost: 0.1))
            try await withServer(in: directory) { server in
                _ = try await server.waitForSession("a", events: 5)
            }
            try directory.append("a/.ralph/events.jsonl", rows.summary(50, 2, output: 6, cost: 0.2))
            try await withServer(in: directory) { server in
                let id = try await server.waitForSession("a", events: 8)
                try server.root.append("a/.ralph/events.jsonl", rows.end(60, 2))
                try await eventually(within: .seconds(10), "the end") {
                    let metrics = try await server.get("/api/sessions/\(id)/metrics").object()
                    let totals = metrics["totals"] as? [String: Any] ?? [:]
                    return Self.number(totals, "worked_ms") == 60_000
                        && Self.number(totals, "output_tokens") == 10 && Self.number(totals, "runs") == 1
                        && totals["cost_usd"] as? Double == 0.3
                }
            }
        }
    }

    @Test(arguments: [false, true])
    func `what a session did is counted without its directory, unless it is purged`(_ isPurged: Bool)
        async throws
    {
        try await withTemporaryDirectory { directory in
            let rows = Self.recent(600)
            try directory.write(
                "a/.ralph/events.jsonl",
                rows.begin() + rows.summary(5, 1, output: 4) + rows.row(50, 2, "note"))
            try await withServer(in: directory) { server in
                let id = try await server.waitForSession("a", events: 6)
                guard isPurged else { return }
                #expect(try await server.send("DELETE", "/api/sessions/\(id)?purge=true").status == 200)
            }
            try directory.remove("a")
            try await withServer(in: directory) { server in
                let stats = try await server.get("/api/stats").object()

                let totals = stats["totals"] as? [String: Any] ?? [:]
                #expect(Self.number(totals, "worked_ms") == (isPurged ? 0 : 50_000))
                #expect(Self.number(totals, "runs") == (isPurged ? 0 : 1))
                #expect(Self.number(stats, "session_count") == (isPurged ? 0 : 1))
            }
        }
    }

    @Test func `stats are the sum of the sessions, also day by day`() async throws {
        try await withServer { server in
            for (name, output) in [("a", 4), ("b", 30)] {
                let rows = Self.recent(100)
                try server.root.write(
                    "\(name)/.ralph/events.jsonl",
                    rows.begin() + rows.summary(output, 1, output: output) + rows.end(output + 1, 1))
            }
            _ = try await server.waitForSession("a", events: 8)
            let b = try await server.waitForSession("b", events: 8)
            let stats = try await server.get("/api/stats").object()

            let totals = stats["totals"] as? [String: Any] ?? [:]
            #expect(Self.number(totals, "output_tokens") == 34 && Self.number(totals, "worked_ms") == 36_000)
            let days = stats["days"] as? [[String: Any]] ?? []
            #expect(days.count == 7 && days.last?["day"] as? String == stats["to"] as? String)
            #expect(days.reduce(0) { $0 + Self.number($1, "iterations") } == 2)
            let sessions = stats["sessions"] as? [[String: Any]] ?? []
            #expect(sessions.map { Self.number($0, "output_tokens") } == [30, 4])
            #expect(sessions.first?["id"] as? String == b && stats["sessions_cut"] as? Bool == false)
            let one = try await server.get("/api/stats?window=24h&session=\(b.prefix(8))").object()
            #expect(Self.number(one["totals"] as? [String: Any] ?? [:], "output_tokens") == 30)
            #expect(Self.number(one, "session_count") == 1 && (one["days"] as? [Any])?.count == 2)
        }
    }

    @Test func `a window that is none is refused`() async throws {
        try await withServer { server in
            let wrong = [
                "", "7", "d", "0d", "-1d", "367d", "8785h", "7w", "7D", "%F0%9F%8D%8E", "%EF%BC%97d",
                "99999999999999999999d", "7d%00",
            ]
            for window in wrong {
                let status = try await server.get("/api/stats?window=\(window)").status
                #expect(status == 400, "\(window)")
            }
            for window in ["1d", "366d", "1h", "8784h"] {
                let status = try await server.get("/api/stats?window=\(window)").status
                #expect(status == 200, "\(window)")
            }
            #expect(try await server.get("/api/stats?session=nobody").status == 404)
        }
    }

    @Test func `a run that goes on is counted up to now`() async throws {
        try await withServer { server in
            let rows = Self.recent(30)
            try server.root.write("a/.ralph/events.jsonl", rows.begin() + rows.summary(5, 1, output: 4))
            let id = try await server.waitForSession("a", events: 5)
            let metrics = try await server.get("/api/sessions/\(id)/metrics").object()

            let worked = Self.number(metrics["totals"] as? [String: Any] ?? [:], "worked_ms")
            #expect((30_000...90_000).contains(worked))
        }
    }
}
