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

    @Test func `a question keeps its id when the server is started again`() async throws {
        try await withTemporaryDirectory { directory in
            let row = { (second: Int) in
                let ts = Date(timeIntervalSinceNow: TimeInterval(second)).ISO8601Format()
                return
                    #"{"topic":"human.interact","payload":{"question":"Q\#(second)","options":["a"]},"ts":"\#(ts)"}"#
                    + "\n"
            }
            try directory.write("a/.ralph/events.jsonl", row(-20) + row(-10))
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
