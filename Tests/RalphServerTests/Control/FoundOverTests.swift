import RalphServer
import RalphTestSupport
import RalphWire
import Testing

/// A session without a process, which counts as running by its newest events (http-contract 3.1).
@Suite(.timeLimit(.minutes(1)))
struct FoundOverTests {
    private static func row(_ number: Int) -> String {
        let time = Timestamp.text(WallClock.milliseconds())
        return #"{"topic":"note","ts":"\#(time)","payload":"n\#(number)"}"# + "\n"
    }

    @Test func `it runs no more once a stop has found nothing, until another event comes`() async throws {
        try await withServer { server in
            try server.root.write("alone/.ralph/events.jsonl", Self.row(1))
            let id = try await server.waitForSession("alone", events: 1)
            #expect(try await server.status(id)["status"] as? String == "running")

            let answer = try await server.send("DELETE", "/api/sessions/\(id)").object()
            #expect(answer["already"] as? Bool == true && answer["final_status"] as? String == "idle")
            let status = try await server.status(id)
            #expect(status["status"] as? String == "idle" && status["mode"] as? String == "complete")

            try server.root.append("alone/.ralph/events.jsonl", Self.row(2))
            try await server.waitFor(id, "status", "running")
        }
    }
}
