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
        try await withRestartedServer({ $0.ring = 100 }) { server in
            _ = try await server.session("a", lines: 50)
            try server.append("a", 51...900)
            _ = try await server.waitForSession("a", events: 900)
        } _: { server in
            let id = try await server.waitForSession("a", events: 900)
            let page = try await server.get("/api/sessions/\(id)/history?before_seq=300&limit=100").object()
            let events = page["events"] as? [[String: Any]] ?? []

            #expect(events.compactMap { $0["seq"] as? Int } == Array(200...299))
            #expect(events.compactMap { $0["payload"] as? String } == (200...299).map { "n\($0)" })
            #expect(page["has_more"] as? Bool == true)
            #expect(page["last_seq"] as? Int == 900)
        }
    }

    @Test(arguments: [100, 1000])
    func `a page of large events is short, and what is left is on the next ones`(_ ring: Int) async throws {
        try await withServer({ $0.ring = ring }) { server in
            let id = try await server.session("a", lines: 1)
            try server.appendLarge("a", 2...260, bytes: 100_000)
            _ = try await server.waitForSession("a", events: 260)
            let path = "/api/sessions/\(id)/history?limit=1000&"

            var seqs: [Int] = []
            var pages = 0
            var cursor = 0
            while pages < 100 {
                let page = try await server.get(path + "after_seq=\(cursor)").object()
                cursor = page["after_seq"] as? Int ?? 0
                seqs += (page["events"] as? [[String: Any]] ?? []).compactMap { $0["seq"] as? Int }
                pages += 1
                if page["has_more"] as? Bool != true { break }
            }
            #expect(seqs == Array(1...260) && pages > 5)

            seqs = []
            pages = 0
            while pages < 100 {
                let page = try await server.get(path + "before_seq=\(seqs.first ?? 261)").object()
                seqs = (page["events"] as? [[String: Any]] ?? []).compactMap { $0["seq"] as? Int } + seqs
                pages += 1
                if page["has_more"] as? Bool != true { break }
            }
            #expect(seqs == Array(1...260) && pages > 5)
        }
    }

    @Test(arguments: [100, 1000])
    func `what a stream cuts off, a page of history has`(_ ring: Int) async throws {
        try await withServer({ $0.ring = ring }) { server in
            let id = try await server.session("a", lines: 1)
            let text = String(repeating: "x", count: 400_000)
            let object = #"{"note":"\#(text)"}"#
            try server.root.append(
                "a/.ralph/events.jsonl",
                #"{"topic":"long","payload":"\#(text)"}"# + "\n" + #"{"topic":"deep","payload":\#(object)}"#
                    + "\n"
                    + #"{"topic":"wide","payload":"p","more":\#(object)}"# + "\n"
                    + #"{"topic":"human.guidance","payload":"p","id":"cmd_1","more":\#(object)}"# + "\n"
                    + RunningServer.lines(6...7, when: true))
            try server.append("a", 8...150)
            _ = try await server.waitForSession("a", events: 150)
            let streamed = try await server.get("/api/sessions/\(id)/status?after_seq=1&limit=6").object()
            let cut = streamed["events"] as? [[String: Any]] ?? []
            #expect(cut.map { $0["truncated"] as? Bool } == [true, true, true, true, nil, nil])

            for window in ["after_seq=1&limit=6", "before_seq=8&limit=6"] {
                let page = try await server.get("/api/sessions/\(id)/history?\(window)").object()
                let events = page["events"] as? [[String: Any]] ?? []
                #expect(events.compactMap { $0["seq"] as? Int } == Array(2...7))
                #expect(events.map { $0["id"] as? String } == cut.map { $0["id"] as? String })
                #expect(events.allSatisfy { $0["truncated"] == nil })
                #expect(events[0]["payload"] as? String == text)
                #expect((events[1]["data"] as? [String: String])?["note"] == text)
                for event in events[2...3] {
                    let extra = event["extra"] as? [String: Any]
                    #expect((extra?["more"] as? [String: String])?["note"] == text)
                }
            }

            // What no file has any more stays as it was streamed while it is kept.
            guard ring > 150 else { return }
            try server.root.remove("a/.ralph/events.jsonl")
            let page = try await server.get("/api/sessions/\(id)/history?before_seq=6&limit=4").object()
            let events = page["events"] as? [[String: Any]] ?? []
            #expect(events.map { $0["truncated"] as? Bool } == [true, true, true, true])
        }
    }

    @Test func `a page behind an event that never was says so and begins with the oldest one`() async throws {
        try await withServer { server in
            let id = try await server.session("a", lines: 3)
            let page = try await server.get("/api/sessions/\(id)/history?after_seq=99").object()
            let gap = (page["gaps"] as? [[String: Any]])?.first

            #expect((page["events"] as? [[String: Any]])?.compactMap { $0["seq"] as? Int } == [1, 2, 3])
            #expect(gap?["reason"] as? String == "unknown_cursor" && gap?["from"] as? Int == 1)
            #expect(gap?["to"] as? Int == 0)
            #expect(page["before_seq"] is NSNull && page["after_seq"] is NSNull)
        }
    }

    @Test(arguments: ["/history?", "/logs?", "/status?"])
    func `a number of another store is none of this one`(_ path: String) async throws {
        try await withServer { server in
            let id = try await server.session("a", lines: 10)
            let epoch = try #require(try await server.status(id)["epoch"] as? String)
            for (given, first) in [
                ("after_seq=5&epoch=\(epoch)", 6), ("after_seq=5&epoch=00000000", 1),
                ("since=5&epoch=00000000", 1), ("since=all&epoch=00000000", 0),
            ] {
                let page = try await server.get("/api/sessions/\(id)\(path)\(given)").object()
                let events = page["events"] as? [[String: Any]] ?? []
                let gaps = page["gaps"] as? [[String: Any]] ?? []
                #expect(events.first?["seq"] as? Int == max(first, 1))
                #expect(gaps.map { $0["reason"] as? String } == (first == 1 ? ["unknown_cursor"] : []))
            }
        }
    }

    @Test func `a page before a number of another store is of none of its numbers`() async throws {
        try await withServer { server in
            let id = try await server.session("a", lines: 10)
            let epoch = try #require(try await server.status(id)["epoch"] as? String)
            for (given, seqs, gaps) in [
                ("before_seq=5&limit=2&epoch=\(epoch)", [3, 4], []),
                ("before_seq=5&limit=2&epoch=00000000", [1, 2], ["unknown_cursor"]),
                ("after_seq=1&before_seq=3&epoch=00000000&limit=4", [1, 2, 3, 4], ["unknown_cursor"]),
                ("since=1577836800&before_seq=3&epoch=00000000&limit=4", [1, 2, 3, 4], ["unknown_cursor"]),
            ] {
                let page = try await server.get("/api/sessions/\(id)/history?\(given)").object()
                #expect((page["events"] as? [[String: Any]])?.map { $0["seq"] as? Int } == seqs)
                let told = page["gaps"] as? [[String: Any]] ?? []
                #expect(told.map { $0["reason"] as? String } == gaps)
            }
        }
    }

    @Test(arguments: [
        ((1...33).map { "t\($0)" }.joined(separator: ","), "at most 32 topics"),
        ("build.done," + String(repeating: "a", count: 201), "topic must have 1 to 200 bytes"),
    ])
    func `topics that are too many or too long are refused, whoever asks`(
        topics: String, reason: String
    ) async throws {
        try await withServer { server in
            let id = try await server.session("a", lines: 1)
            for path in ["/api/sessions/\(id)/history?", "/api/sessions/\(id)/events?", "/api/search?q=a&"] {
                let response = try await server.get("\(path)topic=\(topics)")
                #expect(response.status == 400)
                #expect(try response.object()["error"] as? String == "invalid_request: \(reason)")
            }
        }
    }

    @Test func `a page of some topics tells how far it looked`() async throws {
        try await withServer({ $0.ring = 100 }) { server in
            let id = try await server.session("a", lines: 50)
            try server.append("a", 51...300)
            _ = try await server.waitForSession("a", events: 300)
            let path = "/api/sessions/\(id)/history?limit=10&"
            let page = try await server.get(path + "after_seq=20&topic=none").object()
            #expect((page["events"] as? [Any])?.isEmpty == true && page["after_seq"] as? Int == 30)
        }
    }

    @Test func `a page that was made forwards leads back as well, and ends where it is told to`() async throws
    {
        try await withTemporaryDirectory { directory in
            try directory.write("a/.ralph/events.jsonl", RunningServer.lines(1...150, when: true))
            try await withServer(in: directory, { $0.ring = 100 }) { server in
                let id = try await server.waitForSession("a", events: 100)
                let path = "/api/sessions/\(id)/history?"
                for (query, seqs, before) in [
                    ("after_seq=60", Array(61...100), 61), ("after_seq=100", [], 101),
                    ("after_seq=40&limit=5", Array(41...45), 41), ("after_seq=3&before_seq=6", [4, 5], 4),
                    ("after_seq=3&before_seq=4", [], 4), ("after_seq=9&before_seq=1", [], 10),
                    ("since=all&before_seq=3", [1, 2], nil),
                ] {
                    let page = try await server.get(path + query).object()
                    let events = page["events"] as? [[String: Any]]
                    #expect(events?.compactMap { $0["seq"] as? Int } == seqs, "\(query)")
                    #expect(page["before_seq"] as? Int == before, "\(query)")
                    #expect((page["before"] is NSNull) == (before != nil), "\(query)")
                }
                let place = try await server.get(path + "after_seq=0").object()["before"] as? String ?? ""
                #expect(try await server.get(path + "before=\(place)").status == 200)
                let newest = try await server.get(path + "after_seq=3&before_seq=9&limit=2").object()
                #expect(newest["has_more"] as? Bool == true && newest["after_seq"] as? Int == 5)
            }
        }
    }

    @Test func `since takes what a stream's takes`() async throws {
        try await withServer { server in
            let id = try await server.session("a", lines: 3)
            let other = try await server.session("b", lines: 3)
            for (since, expected) in [
                ("2", [3]), ("evt_\(id)-1", [2, 3]), ("all", [1, 2, 3]), ("3650000d", [1, 2, 3]), ("1h", []),
                ("2026-11-21T04:20:36.100002+01:00", [3]), ("2026-11-21T04:20:36.100002%2B01:00", [3]),
                ("1795230000", [1, 2, 3]),
            ] {
                for path in ["history?since=\(since)", "status?since=\(since)"] {
                    let page = try await server.get("/api/sessions/\(id)/\(path)").object()
                    let seqs = (page["events"] as? [[String: Any]])?.compactMap { $0["seq"] as? Int }
                    #expect(seqs == expected, "\(path)")
                }
            }
            let page = try await server.get("/api/sessions/\(id)/status?since=evt_\(other)-1").object()
            #expect((page["events"] as? [Any])?.count == 3)
            #expect((page["gaps"] as? [[String: Any]])?.first?["reason"] as? String == "unknown_cursor")
            let path = "/api/sessions/\(id)/history?since=4611686018427387904"
            #expect(try await server.get(path).status == 400)
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
        try await withRestartedServer({ $0.ring = 100 }) { server in
            _ = try await server.session("a", lines: 50)
            try server.append("a", 51...300)
            _ = try await server.waitForSession("a", events: 300)
        } _: { server in
            let id = try await server.waitForSession("a", events: 300)
            try server.root.remove("a/.ralph/events.jsonl")
            let page = try await server.get("/api/sessions/\(id)/history?before_seq=100&limit=50").object()

            #expect((page["events"] as? [Any])?.isEmpty == true)
            #expect((page["gaps"] as? [[String: Any]])?.first?["reason"] as? String == "file_changed")
        }
    }

    @Test func `an event of the server's own that has left the ring is a gap that says so`() async throws {
        try await withRestartedServer({ $0.ring = 100 }) { server in
            _ = try await server.session("a", lines: 0)
            let rows = (1...200).map { number in
                #"{"ts":"2026-11-21T03:20:36Z","iteration":\#(number),"hat":"loop","#
                    + #""topic":"iteration.summary","payload":"{}"}"# + "\n"
            }
            try server.root.append("a/.ralph/events.jsonl", rows[..<100].joined())
            _ = try await server.waitForSession("a", events: 250)
            try server.root.append("a/.ralph/events.jsonl", rows[100...].joined())
            _ = try await server.waitForSession("a", events: 500)
        } _: { server in
            let id = try await server.waitForSession("a", events: 500)
            let page = try await server.get("/api/sessions/\(id)/history?before_seq=101&limit=50").object()
            let events = try #require(page["events"] as? [[String: Any]])
            let gaps = try #require(page["gaps"] as? [[String: Any]])
            let missing = try gaps.flatMap { gap in
                try #require(gap["from"] as? Int)...(try #require(gap["to"] as? Int))
            }

            #expect(!gaps.isEmpty && gaps.allSatisfy { $0["reason"] as? String == "retention" })
            #expect(events.allSatisfy { $0["topic"] as? String == "iteration.summary" } && !events.isEmpty)
            let all = (missing + events.compactMap { $0["seq"] as? Int }).sorted()
            #expect(all == Array(try #require(all.first)...100))
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

    @Test func `what lies before first sight is there behind a cut as well`() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory.path + "/a/.ralph/events.jsonl"
            try directory.write("a/.ralph/events.jsonl", RunningServer.lines(1...300, when: true))
            try await withServer(in: directory, { $0.ring = 100 }) { server in
                let id = try await server.waitForSession("a", events: 100)
                let size = RunningServer.lines(1...290, when: true).utf8.count
                try #require(truncate(path, off_t(size)) == 0)
                // The cut is an event of its own, for which the oldest one leaves the ring, though not memory.
                _ = try await server.waitForSession("a", events: 101)

                let payloads = try await Self.allPayloads(server, id)
                #expect(payloads.reversed() == (1...300).map { "n\($0)" })
            }
        }
    }

    @Test(arguments: ["events.jsonl", "events-20260101-000001.jsonl"])
    func `a copy of an events file is told neither live nor in history`(name: String) async throws {
        try await withTemporaryDirectory { directory in
            let text = RunningServer.lines(1...150, when: true)
            try directory.write("a/.ralph/" + name, text)
            try await withServer(in: directory, { $0.ring = 100 }) { server in
                let id = try await server.waitForSession("a", events: 100)
                try directory.write("a/.ralph/" + name.replacing(".jsonl", with: "-backup.jsonl"), text)
                try directory.append("a/.ralph/" + name, RunningServer.lines(151...151, when: true))
                _ = try await server.waitForSession("a", events: 101)

                let payloads = try await Self.allPayloads(server, id)
                #expect(payloads.reversed() == (1...151).map { "n\($0)" })
            }
        }
    }

    @Test func `a line that holds many events comes whole, however many a page is to have`() async throws {
        try await withTemporaryDirectory { directory in
            let glued = RunningServer.lines(1...1200, when: true).replacing("\n", with: "") + "\n"
            let others = RunningServer.lines(1201...1400, when: true)
            try directory.write("a/.ralph/events.jsonl", glued + others)
            try await withServer(in: directory, { $0.ring = 100 }) { server in
                let id = try await server.waitForSession("a", events: 100)
                let path = "/api/sessions/\(id)/history?limit=1000"
                let token = try await server.get(path).object()["before"] as? String ?? ""
                let page = try await server.get(path + "&before=\(token)").object()
                let events = page["events"] as? [[String: Any]] ?? []

                #expect(events.compactMap { $0["payload"] as? String } == (1...1300).map { "n\($0)" })
                #expect(page["has_more"] as? Bool == false)
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
