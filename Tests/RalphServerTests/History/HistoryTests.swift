import Foundation
import RalphServer
import RalphTestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct HistoryTests {
    @Test func `paging back from the newest gives every line once down to the very first`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.write("a/.ralph/events.jsonl", RunningServer.lines(1...950, when: true))
            try await withServer(in: directory, { $0.ring = 100 }) { server in
                let id = try await server.waitForSession("a", events: 100)
                try server.append("a", 951...1200)
                _ = try await server.waitForSession("a", events: 350)

                let payloads = try await Self.allPayloads(server, id)
                #expect(payloads.reversed() == (1...1200).map { "n\($0)" })
            }
        }
    }

    @Test func `numbers beyond the ring are exact`() async throws {
        try await withServer({ $0.ring = 100 }) { server in
            let id = try await server.session("a", lines: 50)
            try server.append("a", 51...900)
            _ = try await server.waitForSession("a", events: 900)
            let page = try await server.get("/api/sessions/\(id)/history?before_seq=300&limit=100").object()
            let events = page["events"] as? [[String: Any]] ?? []

            #expect(events.compactMap { $0["seq"] as? Int } == Array(200...299))
            #expect(events.compactMap { $0["payload"] as? String } == (200...299).map { "n\($0)" })
            #expect(page["has_more"] as? Bool == true)
            #expect(page["last_seq"] as? Int == 900)
        }
    }

    @Test(arguments: [
        "limit=0", "limit=1001", "before_seq=-1", "before=nonsense", "after_seq=x", "since=x",
        // What does not count is read all the same.
        "after_seq=1&since=x", "after_seq=1&before=nonsense", "since=1&before_seq=x",
    ])
    func `a page that cannot be is a 400`(_ query: String) async throws {
        try await withServer { server in
            let id = try await server.session("a", lines: 1)

            #expect(try await server.get("/api/sessions/\(id)/history?" + query).status == 400)
        }
    }

    @Test func `a deleted file is a gap and not an error`() async throws {
        try await withServer({ $0.ring = 100 }) { server in
            let id = try await server.session("a", lines: 50)
            try server.append("a", 51...300)
            _ = try await server.waitForSession("a", events: 300)
            try server.root.remove("a/.ralph/events.jsonl")
            let page = try await server.get("/api/sessions/\(id)/history?before_seq=100&limit=50").object()

            #expect((page["events"] as? [Any])?.isEmpty == true)
            #expect((page["gaps"] as? [[String: Any]])?.first?["reason"] as? String == "file_changed")
        }
    }

    @Test func `a place in a file that was rewritten is gone`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.write("a/.ralph/events.jsonl", RunningServer.lines(1...300, when: true))
            try await withServer(in: directory, { $0.ring = 100 }) { server in
                let id = try await server.waitForSession("a", events: 100)
                let path = "/api/sessions/\(id)/history"
                let token = try await server.get(path + "?limit=1000").object()["before"]
                try server.root.write("a/.ralph/events.jsonl", RunningServer.lines(700...701, when: true))
                let response = try await server.get(path + "?before=\(token as? String ?? "")")

                #expect(response.status == 410)
                #expect(try response.object()["error"] as? String == "history_gone")
            }
        }
    }

    @Test func `a file that was cut takes nothing of the status with it`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.write("a/.ralph/events.jsonl", RunningServer.lines(1...300, when: true))
            try await withServer(in: directory, { $0.ring = 100 }) { server in
                let id = try await server.waitForSession("a", events: 100)
                try server.root.write("a/.ralph/events.jsonl", RunningServer.lines(700...701, when: true))

                for part in ["", "/status", "/history?limit=1000"] {
                    #expect(try await server.get("/api/sessions/\(id)\(part)").status == 200)
                }
            }
        }
    }

    /// The payloads of all pages, newest first.
    private static func allPayloads(_ server: RunningServer, _ id: String) async throws -> [String] {
        var payloads: [String] = []
        var query = "limit=97"
        while true {
            let page = try await server.get("/api/sessions/\(id)/history?" + query).object()
            let events = page["events"] as? [[String: Any]] ?? []
            payloads += events.filter { $0["source"] as? String == "engine" }
                .compactMap { $0["payload"] as? String }.reversed()
            if let token = page["before"] as? String {
                query = "limit=97&before=\(token)"
            } else if let seq = page["before_seq"] as? Int {
                query = "limit=97&before_seq=\(seq)"
            } else {
                return payloads
            }
        }
    }
}
