import Foundation
import RalphServer
import RalphTestSupport
import Testing

/// Commands whose answer nobody is there to give, or to take: they are on record all the same.
@Suite(.timeLimit(.minutes(1)))
struct CutOffTests {
    /// A run whose agent ends by SIGKILL alone, which a stop sends after a grace of seconds.
    private static var stubborn: StandInSetup {
        var setup = StandInSetup(steps: "always:\n  wait-for .ralph-go\n  emit slice.planned next\n")
        setup.agentArguments = ["--ignore-term"]
        return setup
    }

    /// Lines of the audit log about stops.
    private static func stops(_ state: String) throws -> [[String: Any]] {
        try String(contentsOfFile: state + "/audit.jsonl", encoding: .utf8).split(separator: "\n")
            .compactMap { try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] }
            .filter { $0["action"] as? String == "DELETE /api/sessions/{id}" }
    }

    /// Has such a run stopped, runs `body` while that is carried out, and ends the server.
    ///
    /// - Returns: the lines about stops that the audit log has then.
    private func stop(
        _ body: @Sendable @escaping (HTTPProbe, _ state: String) async throws -> Void
    ) async throws -> [[String: Any]] {
        try await withStandInWorkspace(Self.stubborn) { workspace in
            let state = workspace.outside.path + "/.state"
            try await withServer(in: workspace.outside, { $0.ralph = StandIn.ralph }) { server in
                let id = try await server.start()
                try await server.waitFor(id, "status", "running")
                let probe = try server.probe()
                try await probe.send("DELETE /api/sessions/\(id) HTTP/1.1\r\nHost: localhost\r\n\r\n")
                try await eventually(within: .seconds(10), "the command") {
                    try await server.commands(id).contains { $0.contains("stop") }
                }
                try await body(probe, state)
            }
            return try Self.stops(state)
        }
    }

    @Test(arguments: [true, false])
    func `a command that the server's end cuts off is in the audit log, its outcome unknown`(
        _ isClientThere: Bool
    ) async throws {
        let stops = try await stop { probe, _ in
            if !isClientThere { probe.reset() }
        }
        #expect(stops.map { $0["outcome"] as? String } == ["unknown"])
        #expect(stops.first?["status"] == nil)
    }

    @Test func `a command whose client has hung up is in the audit log with what came of it`() async throws {
        let stops = try await stop { probe, state in
            probe.reset()
            try await eventually(within: .seconds(40), "the stop in the audit log") {
                try !Self.stops(state).isEmpty
            }
        }
        #expect(stops.map { $0["outcome"] as? String } == ["ok"])
        #expect(stops.first?["status"] as? Int == 200)
    }
}
