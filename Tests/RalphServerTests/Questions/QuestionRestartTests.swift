import Foundation
import RalphServer
import RalphTestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct QuestionRestartTests {
    private func ids(_ server: RunningServer) async throws -> [String] {
        let questions = try await server.get("/api/robot/questions").object()["questions"]
        return (questions as? [[String: Any]] ?? []).compactMap { $0["id"] as? String }
    }

    /// A question of `second` seconds from now.
    private func row(_ second: Int) -> String {
        let ts = Date(timeIntervalSinceNow: TimeInterval(second)).ISO8601Format()
        return
            #"{"topic":"human.interact","payload":{"question":"Q\#(second)","options":["a"]},"ts":"\#(ts)"}"#
            + "\n"
    }

    @Test func `a question without a process that could take the answer is not offered`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.write("a/.ralph/events.jsonl", row(-20))
            try directory.write("a/ralph.yml", "RObot: {enabled: true, mode: web, timeout_seconds: 0}")
            let lock = try directory.holdLock(of: "a")
            try await withServer(in: directory) { server in
                try await eventually(within: .seconds(10), "a question") { try await ids(server).count == 1 }
                let id = try await ids(server)[0]
                try lock.close()
                try await eventually(within: .seconds(10), "no question") { try await ids(server).isEmpty }

                let body = #"{"question_id":"\#(id)","response_text":"x"}"#
                let answer = try await server.post("/api/robot/response", body)
                #expect(answer.status == 410)
                let session = try await server.waitForSession("a", events: 1)
                let status = try await server.get("/api/sessions/\(session)/status").object()
                #expect(status["status"] as? String == "running" && status["pending_questions"] as? Int == 0)
            }
        }
    }

    @Test func `a question keeps its id when the server is started again`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.write("a/.ralph/events.jsonl", row(-20) + row(-10))
            let lock = try directory.holdLock(of: "a")
            defer { try? lock.close() }  // it is freed with the descriptor in any case
            let before = Landed()
            try await withServer(in: directory) { server in
                try await eventually(within: .seconds(10), "questions") { try await ids(server).count == 2 }
                before.value = try await ids(server)
            }
            try await withServer(in: directory) { server in
                try await eventually(within: .seconds(10), "questions") { try await ids(server).count == 2 }
                #expect(try await ids(server) == before.value)
                try directory.append(
                    "a/.ralph/events.jsonl",
                    #"{"topic":"human.response","payload":"x","ts":"2026-11-21T03:20:36Z"}"# + "\n")
                try await eventually(within: .seconds(10), "an answer") { try await ids(server).count == 1 }
                #expect(try await ids(server) == Array(before.value.suffix(1)))
            }
        }
    }
}
