import Foundation
import RalphServer
import RalphTestSupport
import Testing

/// Very many clients that want the whole past at once, and those who want something now.
@Suite(.timeLimit(.minutes(2)))
struct ReplayLoadTests {
    private static let clients = 200
    /// What somebody may have to wait while all that goes on; generous, for a machine that does other things too.
    private static let bound: Duration = .seconds(3)

    @Test(arguments: [100, 20_000])
    func `two hundred replays keep neither commands nor probes nor live events waiting`(_ ring: Int)
        async throws
    {
        // With a small ring nearly everything comes from Ralph's files, with a large one from the store.
        try await withControl(configure: { $0.ring = ring }) { server, _ in
            let run = try await server.start()
            _ = try await server.session("big", lines: 1)
            try server.append("big", 2...5000)
            let big = try await server.waitForSession("big", events: 5000)
            let quiet = try await server.session("quiet", lines: 1)
            let live = try await server.stream("/api/sessions/\(quiet)/events?replay=none")
            var probes: [HTTPProbe] = []
            for _ in 0..<Self.clients {
                let probe = try server.probe()
                try await probe.request("/api/sessions/\(big)/events?tail=all&follow=false")
                probes.append(probe)
            }

            var newest = 1
            for _ in 1...5 {
                try await Self.inTime("health") { try await server.get("/health").status == 200 }
                try await Self.inTime("list") { try await server.get("/api/sessions").status == 200 }
                try await Self.inTime("report") { try await server.get("/api/health").status == 200 }
                let (steer, body) = ("/api/sessions/\(run)/steer", #"{"message":"faster"}"#)
                try await Self.inTime("steer") { try await server.post(steer, body).status == 200 }
                try await Self.inTime("live") {
                    newest += 1
                    try server.append("quiet", newest...newest)
                    return try await live.eventIDs(1) == [newest]
                }
            }
            for probe in probes.prefix(3) {
                _ = try await probe.head(within: .seconds(60))
                let events = try await probe.eventsToEnd(within: .seconds(60))
                #expect(events.compactMap { $0.id.flatMap(Int.init) } == Array(1...5000))
            }
            _ = try await server.send("DELETE", "/api/sessions/\(run)?force=1")
        }
    }

    @Test func `pages of history wait their turn and are refused in the end, and a status is not`()
        async throws
    {
        try await withServer { server in
            let id = try await server.session("a", lines: 900)
            var probes: [HTTPProbe] = []
            for _ in 0..<300 {
                let probe = try server.probe()
                try await probe.request("/api/sessions/\(id)/history?limit=1000")
                probes.append(probe)
            }
            try await Self.inTime("status") {
                try await server.get("/api/sessions/\(id)/status").status == 200
            }
            var statuses: [Int: Int] = [:]
            for probe in probes {
                let response = try await probe.response(within: .seconds(30))
                statuses[response.status, default: 0] += 1
                if response.status == 503 { #expect(response.headers["retry-after"] != nil) }
            }
            #expect(statuses[200, default: 0] > 0)
            #expect(statuses[200, default: 0] + statuses[503, default: 0] == 300)
        }
    }

    @Test(arguments: [100, 20_000])
    func `streams that fell behind at different events get each event once`(_ ring: Int) async throws {
        let change: @Sendable (inout ServerConfiguration) -> Void = {
            $0.ring = ring
            // They are read one after the other here.
            $0.streams.stallSeconds = 600
        }
        try await withServer(change) { server in
            let id = try await server.session("a", lines: 1)
            // More than is kept in memory, so that some read the disk up to where others have sent from memory.
            let padding = String(repeating: "x", count: 4000)
            for number in 2...3000 {
                let line = #"{"topic":"note","ts":"2026-11-21T03:20:36Z","payload":"\#(number) \#(padding)"}"#
                try server.root.append("a/.ralph/events.jsonl", line + "\n")
            }
            _ = try await server.waitForSession("a", events: 3000)
            var probes: [(probe: HTTPProbe, cursor: Int)] = []
            for number in 0..<24 {
                let probe = try server.probe()
                let cursor = max(0, 2530 - number * 113)
                try await probe.request(
                    "/api/sessions/\(id)/events?follow=false", headers: ["Last-Event-ID": "\(cursor)"])
                probes.append((probe, cursor))
                if number == 11 { try server.append("a", 3001...3600) }
            }
            for (probe, cursor) in probes {
                _ = try await probe.head(within: .seconds(30))
                let events = try await probe.eventsToEnd(within: .seconds(30))
                let ids = events.compactMap { $0.id.flatMap(Int.init) }
                #expect(ids.count >= 3000 - cursor)
                #expect(ids == Array(cursor + 1..<cursor + 1 + ids.count))
            }
        }
    }

    @Test func `a number is sent or in a gap and never both`() async throws {
        let change: @Sendable (inout ServerConfiguration) -> Void = {
            $0.ring = 100
            // They are read one after the other here.
            $0.streams.stallSeconds = 600
        }
        try await withServer(change) { server in
            let id = try await server.session("a", lines: 1)
            // Each iteration has events of the server's own, which no file holds; more than memory keeps.
            let padding = String(repeating: "x", count: 4000)
            func append(_ numbers: ClosedRange<Int>) throws {
                let lines = numbers.map { number in
                    #"{"topic":"note","ts":"2026-11-21T03:20:36Z","payload":"\#(number) \#(padding)"}"# + "\n"
                        + #"{"ts":"2026-11-21T03:20:36Z","iteration":\#(number),"hat":"loop","#
                        + #""topic":"iteration.summary","payload":"{}"}"# + "\n"
                }
                try server.root.append("a/.ralph/events.jsonl", lines.joined())
            }
            try append(1...1000)
            _ = try await server.waitForSession("a", events: 3900)
            var probes: [(probe: HTTPProbe, cursor: Int)] = []
            for number in 0..<24 {
                let probe = try server.probe()
                let cursor = max(0, 3700 - number * 153)
                try await probe.request(
                    "/api/sessions/\(id)/events?follow=false", headers: ["Last-Event-ID": "\(cursor)"])
                probes.append((probe, cursor))
                if number == 11 { try append(1001...1100) }
            }
            for (probe, cursor) in probes {
                _ = try await probe.head(within: .seconds(30))
                let served = try await Self.numbers(of: probe)
                #expect(served.count >= 3900 - cursor)
                #expect(served == Array(cursor + 1..<cursor + 1 + served.count))
            }
        }
    }

    /// The numbers of the events and gaps of an answer, in the order in which they came.
    private static func numbers(of probe: HTTPProbe) async throws -> [Int] {
        var numbers: [Int] = []
        while let frame = try await probe.frame(within: .seconds(30)) {
            if !frame.data.isEmpty, let id = frame.id.flatMap(Int.init) { numbers.append(id) }
            for gap in frame.comments where gap.hasPrefix("gap ") {
                let members = try JSONSerialization.jsonObject(with: Data(gap.dropFirst(4).utf8))
                let range = try #require(members as? [String: Any])
                numbers += try #require(range["from"] as? Int)...(try #require(range["to"] as? Int))
            }
        }
        return numbers
    }

    private static func inTime(_ what: String, _ body: () async throws -> Bool) async throws {
        try await atBest(within: bound, what) {
            let start = ContinuousClock.now
            let isRight = try await body()
            let took = ContinuousClock.now - start
            #expect(isRight, "\(what)")
            return took
        }
    }
}
