import Foundation
import RalphTestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct RestartedBurstTests {
    private static func rows(_ numbers: ClosedRange<Int>) -> String {
        numbers.map {
            #"{"ts":"2026-11-21T03:20:00Z","iteration":1,"hat":"a","topic":"t","payload":"\#($0)"}"# + "\n"
        }
        .joined()
    }

    @Test func `a burst of one moment keeps its events apart over a restart`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.write("p/.ralph/events.jsonl", Self.rows(1...200))
            try await withServer(in: directory) { server in
                _ = try await server.waitForSession("p", events: 200)
            }
            try directory.append("p/.ralph/events.jsonl", Self.rows(201...300))
            try await withServer(in: directory) { server in
                let id = try await server.waitForSession("p", events: 300)
                var times: [String] = []
                try await eventually(within: .seconds(10), "all rows") {
                    times = try await server.events("/api/sessions/\(id)/events?follow=false&since=all")
                        .map { try $0.object() }.filter { $0["topic"] as? String == "t" }
                        .compactMap { $0["ts"] as? String }
                    return times.count == 300
                }
                #expect(Set(times).count == 300)
            }
        }
    }
}
