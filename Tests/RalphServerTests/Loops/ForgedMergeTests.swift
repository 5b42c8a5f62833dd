import Foundation
import RalphTestSupport
import Testing

/// Merge queues that name processes which are none of ours: they refuse a merge at most, and nobody is signalled.
@Suite(.timeLimit(.minutes(1))) struct ForgedMergeTests {
    private func queue(_ pid: String) -> String {
        #"{"ts":"2026-06-22T22:20:00.1Z","loop_id":"fair-rose","event":{"type":"merging","pid":\#(pid)}}"#
            + "\n"
    }

    @Test func `a process that a merge queue names lives on`() async throws {
        try await withServer { server in
            let innocent = Process()
            innocent.executableURL = URL(fileURLWithPath: "/bin/sleep")
            innocent.arguments = ["60"]
            try innocent.run()
            defer { innocent.terminate() }
            try server.root.write(".ralph/merge-queue.jsonl", queue("\(innocent.processIdentifier)"))
            for action in ["merge", "discard"] {
                let response = try await server.post("/api/loops/fair-rose/\(action)", "{}")
                #expect(response.status == 409)
                #expect(try (response.object()["error"] as? String)?.hasPrefix("loop_busy") == true)
            }
            #expect(innocent.isRunning)
        }
    }

    @Test(arguments: ["0", "-1", "-9223372036854775808", "4294967297", "\"1\"", "1e400"])
    func `numbers that are no process's are nobody's`(_ pid: String) async throws {
        try await withServer { server in
            try server.root.write(".ralph/merge-queue.jsonl", queue(pid))
            let response = try await server.post("/api/loops/fair-rose/merge", "{}")
            #expect([404, 500].contains(response.status))
            #expect(try await server.get("/health").status == 200)
        }
    }
}
