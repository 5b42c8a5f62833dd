import Foundation
import RalphControl
import RalphServer
import RalphTestSupport
import Testing

/// Configurations and starts from elsewhere: through a tunnel that ends on the loopback, with the right key.
@Suite(.timeLimit(.minutes(1))) struct CommandRuleTests {
    private static let key = "0123456789abcdef"
    private static let remote = ["X-Api-Key": key, "X-Forwarded-For": "203.0.113.9"]
    private static let local = ["X-Api-Key": key]

    private func put(_ server: RunningServer, _ yaml: String, _ headers: [String: String]) async throws
        -> HTTPProbe.Response
    {
        let body = try JSONSerialization.data(withJSONObject: ["content": yaml])
        return try await server.post(
            "/api/config/import", String(decoding: body, as: UTF8.self), headers: headers)
    }

    @Test(arguments: [
        ("cli: {backend: custom, command: sh, args: [-c, 'touch pwned']}\n", "cli.backend: custom"),
        (
            "hooks:\n  enabled: true\n  events:\n    pre.loop.start:\n      - {name: x, command: [touch, pwned]}\n",
            "hooks.events.pre.loop.start[0].command: touch"
        ),
        ("core: {scratchpad: /etc/profile.md}\n", "core.scratchpad: /etc/profile.md"),
    ])
    func `a config write from elsewhere becomes no command`(_ yaml: String, _ why: String) async throws {
        try await withServer({ $0.apiKey = Self.key }) { server in
            try server.root.write("ralph.yml", "cli: {backend: claude}\n")
            let response = try await put(server, yaml, Self.remote)

            #expect(response.status == 403)
            #expect(try response.object()["error"] as? String == "command_not_allowed")
            #expect(try response.object()["details"] as? String == why)
            #expect(try server.root.names(in: "").sorted() == [".state", "ralph.yml"])
            #expect(
                try String(contentsOfFile: server.root.path + "/ralph.yml", encoding: .utf8).contains(
                    "claude"))
        }
    }

    @Test func `from elsewhere known agents may be named, and from here anything`() async throws {
        try await withServer({ $0.apiKey = Self.key }) { server in
            let known = try await put(server, "cli: {backend: amp}\n", Self.remote)
            let any = try await put(server, "cli: {command: sh}\n", Self.local)
            #expect(known.status == 200)
            #expect(any.status == 200)
        }
    }

    @Test func `the flag lets callers from elsewhere name anything`() async throws {
        try await withServer({
            $0.apiKey = Self.key
            $0.allowsRemoteCommands = true
        }) { server in
            let response = try await put(server, "cli: {command: sh}\n", Self.remote)
            #expect(response.status == 200)
        }
    }

    @Test(arguments: [
        (#""backend":"custom""#, "backend: custom"),
        (#""config_path":".ralph/agent/memories.md""#, "config_path: "),
        (#""hats":".ralph/agent/memories.md""#, "hats: "),
    ])
    func `a start from elsewhere takes no text that clients write for a configuration`(
        _ member: String, _ why: String
    ) async throws {
        try await withServer({
            $0.apiKey = Self.key
            $0.ralph = StandIn.path
        }) { server in
            try server.root.write(".ralph/current-loop-id", "primary-1\n")
            let memories = #"{"content":"cli: {backend: custom, command: touch, args: [pwned]}"}"#
            #expect(
                try await server.send("PUT", "/api/memories", memories, headers: Self.remote).status == 200)
            let response = try await server.post(
                "/api/sessions", #"{"prompt":"go",\#(member)}"#, headers: Self.remote)

            #expect(response.status == 403)
            #expect(try response.object()["error"] as? String == "command_not_allowed")
            #expect(try (response.object()["details"] as? String)?.hasPrefix(why) == true)
            #expect(!FileManager.default.fileExists(atPath: server.root.path + "/pwned"))
        }
    }

    @Test func `a start from elsewhere uses what the owner has put into the workspace`() async throws {
        try await withControl(configure: { $0.apiKey = Self.key }) { server, _ in
            let response = try await server.post(
                "/api/sessions", #"{"working_dir":"project","prompt":"go"}"#, headers: Self.remote)
            #expect(response.status == 201)
            let id = try response.object()["id"] as? String ?? ""
            #expect(
                try await server.post("/api/sessions/\(id)/stop?force=1", headers: Self.remote).status == 200)
        }
    }
}
