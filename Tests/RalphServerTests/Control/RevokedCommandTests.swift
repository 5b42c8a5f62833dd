import Foundation
import RalphServer
import RalphTestSupport
import Testing

/// A device that is taken out while its command waits for its turn.
@Suite(.timeLimit(.minutes(1)))
struct RevokedCommandTests {
    @Test func `a command that waits for its turn is not carried out when its device was revoked`()
        async throws
    {
        try await withStandInWorkspace(StandInSetup(steps: "always:\n  wait-for .ralph-go\n")) { workspace in
            try PairedDevice.store(in: workspace.outside)
            try workspace.outside.write("project/.ralph/events.jsonl", RunningServer.lines(1...1, when: true))
            // The start has its turn as long as the run does not register itself.
            let ralph = try workspace.outside.write(
                "slow",
                "#!/bin/sh\ntouch hung\nwhile [ ! -e let-go ]; do sleep 0.05; done\nexec '\(StandIn.ralph)' \"$@\"\n"
            )
            chmod(ralph, 0o755)
            let handle = WorkspaceHandle(path: workspace.path, outside: workspace.outside)
            try await withServer(
                in: workspace.outside,
                {
                    $0.ralph = ralph
                    $0.apiKey = PairedDevice.key
                }
            ) { server in try await Self.revokeWhileItWaits(server, handle) }
        }
    }

    private static func revokeWhileItWaits(_ server: RunningServer, _ workspace: WorkspaceHandle) async throws
    {
        let (owner, device) = (PairedDevice.owner, PairedDevice.steer)
        var id = ""
        try await eventually(within: .seconds(10), "the session") {
            let list = try await server.get("/api/sessions", headers: owner).json() as? [[String: Any]]
            id = list?.first?["id"] as? String ?? ""
            return !id.isEmpty
        }
        let target = "/api/sessions/\(id)/steer"
        async let start = server.post(
            "/api/sessions", #"{"working_dir":"project","prompt":"quagga go"}"#, headers: owner)
        try await eventually(within: .seconds(10), "the start") { workspace.exists("hung") }
        async let steered = server.post(target, #"{"message":"of the revoked"}"#, headers: device.headers)
        async let other = server.post(target, #"{"message":"of the owner"}"#, headers: owner)
        try await eventually(within: .seconds(10), "both wait") {
            let page = try await server.get("/api/sessions/\(id)/commands", headers: owner).text
            return page.ranges(of: #""outcome":"pending""#).count == 3
        }
        try await expectStatus(200, server.send("DELETE", "/api/devices/\(device.id)", headers: owner))
        try workspace.put("let-go")

        let statuses = try await (start.status, steered.status, other.status)
        #expect(statuses == (201, 401, 200))
        let files = try FileManager.default.contentsOfDirectory(atPath: workspace.path + "/.ralph")
        let rows = files.filter { $0.hasPrefix("events") }.map { workspace.text(".ralph/" + $0) }.joined()
        #expect(rows.contains("of the owner") && !rows.contains("of the revoked"))
        let page = try await server.get("/api/sessions/\(id)/commands", headers: owner).text
        #expect(page.contains(#""outcome":"rejected""#))
        _ = try await server.send("DELETE", "/api/sessions/\(id)?force=1", headers: owner)
    }
}
