import Foundation
import RalphTestSupport
import Testing

@testable import RalphServer

@Suite(.timeLimit(.minutes(1)))
struct SearchRoutesTests {
    @Test func `a line is found within a second of its event`() async throws {
        try await withServer { server in
            let id = try await server.session("a", lines: 5)
            try server.root.append(
                "a/.ralph/events.jsonl", Self.line("build.done", "all <green> & 机器 \u{1F916}"))
            _ = try await server.waitForSession("a", events: 6)
            let answer = try await server.found("green", count: 1, within: .seconds(1))

            let hit = try #require((answer["hits"] as? [[String: Any]])?.first)
            #expect(hit["session_id"] as? String == id)
            #expect(hit["seq"] as? Int == 6)
            #expect(hit["id"] as? String == "evt_\(id)-6")
            #expect(hit["topic"] as? String == "build.done")
            #expect(hit["type"] as? String == "event.published")
            #expect((hit["ts"] as? String)?.hasSuffix("Z") == true)
            #expect(hit["snippet"] as? String == "all <green> & 机器 \u{1F916}")
            #expect(hit["highlights"] as? [[Int]] == [[5, 10]])
            #expect((hit["event"] as? [String: Any])?["seq"] as? Int == 6)
            #expect(answer["has_more"] as? Bool == false)
            #expect(answer["next"] is NSNull)
            #expect(answer["behind"] is Int)
            #expect(answer["took_ms"] is Int)
        }
    }

    @Test func `filters of streams are filters of searches`() async throws {
        try await withServer { server in
            let id = try await server.session("a", lines: 4)
            _ = try await server.session("b", lines: 2)
            _ = try await server.found("note", count: 6)

            #expect(try await server.hits("q=note&session=\(id.prefix(8))") == 4)
            #expect(try await server.hits("q=note&topic=*.even,x&session=\(id)") == 2)
            #expect(try await server.hits("q=note&topic=note.?*") == 6)
            #expect(try await server.hits("q=note&hat=nobody") == 0)
            #expect(try await server.hits("q=note&since=2026-11-21T03:20:00Z") == 6)
            #expect(try await server.hits("q=note&until=2026-11-21T03:20:00Z") == 0)
            #expect(try await server.hits("q=note&since=all&until=253402300799") == 6)
            #expect(try await server.hits("q=n1*+-n2") == 2)
            #expect(try await server.get("/api/search?q=note&session=ffffffffffffffff").status == 404)
            #expect(try await server.get("/api/search?q=note&session=%2e%2e").status == 404)
        }
    }

    @Test func `topic and hat are those of the event, whatever characters they have`() async throws {
        try await withServer { server in
            let rows = [(#"a\tb"#, #"x\ny"#), ("a b", "x y"), ("機器", "x y")].map { topic, hat in
                #"{"topic":"\#(topic)","hat":"\#(hat)","ts":"2026-11-21T03:20:37Z","payload":"note"}"# + "\n"
            }
            try server.root.write("a/.ralph/events.jsonl", rows.joined())
            let answer = try await server.found("note", count: 3)

            let hits = try #require(answer["hits"] as? [[String: Any]])
            for hit in hits {
                let event = try #require(hit["event"] as? [String: Any])
                for name in ["topic", "hat", "type"] {
                    #expect(hit[name] as? String == event[name] as? String, "\(name)")
                }
            }
            #expect(try await server.hits("q=note&topic=a%09b") == 1)
            #expect(try await server.hits("q=note&topic=a%20b") == 1)
            #expect(try await server.hits("q=note&topic=a*") == 2)
            #expect(try await server.hits("q=note&hat=x%0Ay") == 1)
            #expect(try await server.hits("q=note&hat=x%20y") == 2)
        }
    }

    @Test func `what is purged is not found again without its directory, over a restart`() async throws {
        try await withTemporaryDirectory { directory in
            try await withServer(in: directory) { server in
                let id = try await server.session("a", lines: 2)
                _ = try await server.session("b", lines: 1)
                _ = try await server.found("note", count: 3)
                #expect(try await server.send("DELETE", "/api/sessions/\(id)?purge=true").status == 200)
                #expect(try await server.hits("q=note") == 1)
            }
            try directory.remove("a")
            try await withServer(in: directory) { server in
                _ = try await server.found("note", count: 1)
            }
        }
    }

    @Test func `pages follow each other without a hole`() async throws {
        try await withServer { server in
            _ = try await server.session("a", lines: 7)
            _ = try await server.found("note", count: 7)
            var target = "/api/search?q=note&limit=3"
            var seqs: [Int] = []
            for _ in 0..<3 {
                let page = try await server.get(target).object()
                seqs += (page["hits"] as? [[String: Any]] ?? []).compactMap { $0["seq"] as? Int }
                target = "/api/search?q=note&limit=3&before=\(page["next"] as? String ?? "")"
            }

            #expect(seqs == [7, 6, 5, 4, 3, 2, 1])
        }
    }

    @Test(arguments: [
        "", "q=", "q=+", "q=-a", "q=!!", "q=%00", "q=%ff", "q=a&limit=0", "q=a&limit=201", "q=a&limit=x",
        "q=a&since=5", "q=a&since=latest", "q=a&until=yesterday", "q=a&before=7", "q=a&before=00000000-7",
        "q=a&before=-", "q=a&hat=", "q=a&hat=" + String(repeating: "h", count: 201),
        "q=a&topic=" + String(repeating: "t", count: 201), "q=a&topic=" + String(repeating: "a,", count: 33),
        "q=" + String(repeating: "a", count: 1025), "q=" + String(repeating: "a+", count: 33),
    ])
    func `a query that says nothing is a 400`(_ query: String) async throws {
        try await withServer { server in
            let response = try await server.get("/api/search?" + query)
            #expect(response.status == 400)
            #expect((try response.object()["error"] as? String)?.hasPrefix("invalid_request: ") == true)
        }
    }

    @Test func `a query of a megabyte is a 431`() async throws {
        try await withServer { server in
            let probe = try server.probe()
            // The server may close before all of it is sent, which is its right.
            try? await probe.send("GET /api/search?q=" + String(repeating: "a", count: 1 << 20))
            #expect(try await probe.response().status == 431)
        }
    }

    @Test func `operators and quotes are text`() async throws {
        try await withServer { server in
            _ = try await server.session("a", lines: 1)
            _ = try await server.found("note", count: 1)
            for text in [
                "a AND", "NEAR(a b)", "\"a", "topic:note", "(note", "note)", "'; DROP TABLE entry --", "*a*",
            ] {
                let query = text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
                #expect(try await server.get("/api/search?q=" + query).status == 200)
            }
            #expect(try await server.hits("q=note") == 1)
        }
    }

    @Test func `without the index a search says so and the report has none`() async throws {
        try await withServer({ $0.hasSearch = false }) { server in
            let response = try await server.get("/api/search?q=a")
            #expect(response.status == 503)
            #expect(try response.object()["error"] as? String == "search_disabled")
            #expect(try await server.get("/api/health").object()["search"] == nil)
        }
    }

    @Test func `the health report counts what the index did`() async throws {
        try await withServer { server in
            _ = try await server.session("a", lines: 3)
            _ = try await server.found("note", count: 3)
            let report = try await server.get("/api/health").object()["search"] as? [String: Any]

            #expect(report?["mode"] as? String == "fts5")
            #expect(report?["behind"] is Int)
            #expect(report?["indexed"] as? Int ?? 0 >= 3)
            #expect(report?["skipped"] as? Int == 0)
            #expect(report?["rebuilt"] as? Int == 0)
        }
    }

    private static func line(_ topic: String, _ payload: String) -> String {
        #"{"topic":"\#(topic)","ts":"2026-11-21T03:20:37.100000Z","payload":"\#(payload)"}"# + "\n"
    }
}

extension RunningServer {
    /// The answer to a search for `word`, once it has `count` hits.
    func found(_ word: String, count: Int, within limit: Duration = .seconds(5)) async throws -> [String: Any]
    {
        var answer: [String: Any] = [:]
        try await eventually(within: limit, "\(count) hits for \(word)") {
            answer = try await get("/api/search?q=\(word)").object()
            return (answer["hits"] as? [Any])?.count == count
        }
        return answer
    }

    /// How many events a search finds.
    func hits(_ query: String) async throws -> Int {
        let response = try await get("/api/search?" + query)
        guard response.status == 200 else { throw Unexpected(status: response.status) }
        return (try response.object()["hits"] as? [Any])?.count ?? -1
    }
}
