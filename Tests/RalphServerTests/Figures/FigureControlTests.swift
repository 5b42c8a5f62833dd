import RalphTestSupport
import Testing

/// Figures of runs that are paused for real.
@Suite(.timeLimit(.minutes(1)))
struct FigureControlTests {
    private static func times(_ server: RunningServer, _ id: String) async throws -> (
        worked: Int, paused: Int
    ) {
        let metrics = try await server.get("/api/sessions/\(id)/metrics").object()
        let totals = metrics["totals"] as? [String: Any] ?? [:]
        return (totals["worked_ms"] as? Int ?? -1, totals["paused_ms"] as? Int ?? -1)
    }

    @Test func `a paused run works no longer, and its pause is counted`() async throws {
        try await withControl { server, workspace in
            let id = try await server.start()
            _ = try await server.post("/api/sessions/\(id)/pause")
            try workspace.put(".ralph-go")
            try await server.waitFor(id, "phase", "suspended")
            let first = try await Self.times(server, id)
            try await eventually(within: .seconds(10), "the pause goes on") {
                try await Self.times(server, id).paused > first.paused + 500
            }
            #expect(try await Self.times(server, id).worked == first.worked)

            // The next iteration waits as well: the run goes on for as long as is looked at.
            try workspace.remove(".ralph-go")
            _ = try await server.post("/api/sessions/\(id)/resume", "{}")
            try await server.waitFor(id, "status", "running")
            let resumed = try await Self.times(server, id)
            try await eventually(within: .seconds(10), "the work goes on") {
                try await Self.times(server, id).worked > resumed.worked + 300
            }
            #expect(try await Self.times(server, id).paused == resumed.paused)
            _ = try await server.send("DELETE", "/api/sessions/\(id)?force=1")
        }
    }
}
