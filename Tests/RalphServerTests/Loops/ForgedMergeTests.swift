import Foundation
import RalphTestSupport
import RalphWire
import Testing

/// Merge queues that name processes which are none of ours: they refuse a merge at most, and nobody is signalled.
@Suite(.timeLimit(.minutes(1))) struct ForgedMergeTests {
    private func queue(_ pid: String, at time: String = "2026-06-22T22:20:00.1Z") -> String {
        #"{"ts":"\#(time)","loop_id":"fair-rose","event":{"type":"merging","pid":\#(pid)}}"# + "\n"
    }

    /// The wire's text for the moment that many seconds ago.
    private func moment(secondsAgo seconds: Double) -> String {
        Timestamp.text(Int64((Date().timeIntervalSince1970 - seconds) * 1000))
    }

    private func startSleeper() throws -> Process {
        let sleeper = Process()
        sleeper.executableURL = URL(fileURLWithPath: "/bin/sleep")
        sleeper.arguments = ["60"]
        try sleeper.run()
        return sleeper
    }

    @Test func `a process that a merge queue names lives on`() async throws {
        try await withServer { server in
            let innocent = try startSleeper()
            defer { innocent.terminate() }
            try server.root.write(
                ".ralph/merge-queue.jsonl",
                queue("\(innocent.processIdentifier)", at: moment(secondsAgo: 0)))
            for action in ["merge", "discard"] {
                let response = try await server.post("/api/loops/fair-rose/\(action)", "{}")
                #expect(response.status == 409)
                #expect(try (response.object()["error"] as? String)?.hasPrefix("loop_busy") == true)
            }
            #expect(innocent.isRunning)
        }
    }

    @Test func `a process that got the number of a merge later holds nothing up`() async throws {
        try await withServer { server in
            let stranger = try startSleeper()
            defer { stranger.terminate() }
            try server.root.write(
                ".ralph/merge-queue.jsonl",
                queue("\(stranger.processIdentifier)", at: moment(secondsAgo: 60)))
            for action in ["merge", "discard"] {
                let response = try await server.post("/api/loops/fair-rose/\(action)", "{}")
                #expect(try response.object()["error"] as? String == "loop_merge_left: fair-rose")
            }
            #expect(stranger.isRunning)
        }
    }

    @Test(arguments: ["0", "-1", "-9223372036854775808", "4294967297", "\"1\"", "1e400"])
    func `numbers that are no process's are nobody's`(_ pid: String) async throws {
        try await withServer { server in
            try server.root.write(".ralph/merge-queue.jsonl", queue(pid))
            let response = try await server.post("/api/loops/fair-rose/merge", "{}")
            #expect([404, 409, 500].contains(response.status))
            #expect(try await server.get("/health").status == 200)
        }
    }
}
