import Foundation
import RalphTestSupport
import RalphWire
import Testing

/// A merge whose process was killed, so that the queue says for good that it goes on.
@Suite(.timeLimit(.minutes(1)))
struct LeftMergeTests {
    /// The row of a merge that began now.
    private func row(_ pid: Int32) -> String {
        let now = Timestamp.text(Int64(Date().timeIntervalSince1970 * 1000))
        return
            #"{"ts":"\#(now)","loop_id":"fair-rose","event":{"type":"merging","pid":\#(pid)}}"# + "\n"
    }

    private func items(_ server: RunningServer, _ list: String) async throws -> [[String: Any]] {
        try await server.get("/api/merge-queue").object()[list] as? [[String: Any]] ?? []
    }

    @Test func `it has failed, and is neither pending nor merged`() async throws {
        try await withServer { server in
            let merge = Process()
            merge.executableURL = URL(fileURLWithPath: "/bin/sleep")
            merge.arguments = ["60"]
            try merge.run()
            try server.root.write(".ralph/merge-queue.jsonl", row(merge.processIdentifier))
            #expect(try await items(server, "pending").first?["status"] as? String == "pending")

            kill(merge.processIdentifier, SIGKILL)
            merge.waitUntilExit()
            let item = try #require(try await items(server, "completed").first)
            #expect(item["status"] as? String == "failed")
            #expect(item["state"] as? String == "merging")
            #expect(item["merged_at"] == nil)
            let reason = item["reason"] as? String ?? ""
            let pid = merge.processIdentifier
            #expect(reason.hasPrefix("The process \(pid) that merges it is not seen here; unless it works "))
            for action in ["merge", "discard"] {
                let response = try await server.post("/api/loops/fair-rose/\(action)")
                #expect(response.status == 409)
                let answer = try response.object()
                #expect(answer["error"] as? String == "loop_merge_left: fair-rose")
                #expect(
                    (answer["details"] as? String)?.contains("ralph loops merge --force fair-rose") == true)
            }
            #expect(try await items(server, "pending").isEmpty)

            try server.root.write(".git/MERGE_HEAD", "")
            let open = try await items(server, "completed").first?["reason"] as? String ?? ""
            #expect(open.contains("git's merge is not concluded"))
        }
    }

    @Test func `one that names no process is not known to be over`() async throws {
        try await withServer { server in
            try server.root.write(
                ".ralph/merge-queue.jsonl", row(1).replacing(#","pid":1"#, with: ""))
            #expect(try await items(server, "pending").first?["status"] as? String == "pending")
        }
    }
}
