import Foundation
import RalphTestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ConfigRoutesTests {
    private func put(_ server: RunningServer, _ yaml: String) async throws -> HTTPProbe.Response {
        let body = try JSONSerialization.data(withJSONObject: ["content": yaml])
        return try await server.post("/api/config/import", String(decoding: body, as: UTF8.self))
    }

    private func file(_ server: RunningServer, _ name: String) -> String? {
        FileManager.default.contents(atPath: server.root.path + "/" + name)
            .map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func `without a file there is nothing to export`() async throws {
        try await withServer { server in
            let response = try await server.post("/api/config/export")
            #expect(response.status == 404)
            #expect(
                try response.object()["error"] as? String
                    == "No ralph configuration file found (ralph.yml or ralph.yaml)")
        }
    }

    @Test func `what is no UTF-8 is not exported as if it were`() async throws {
        try await withServer { server in
            try server.root.write("ralph.yml", bytes: Array("a: caf".utf8) + [0xE9, 0x0A])
            let export = try await server.post("/api/config/export")
            let content = try await server.get("/api/configs/ralph.yml")
            #expect(export.status == 404 && content.status == 404)
            #expect(export.text == content.text)
            #expect(try export.object()["details"] as? String == "The file is not UTF-8.")
        }
    }

    @Test func `an import is kept byte for byte, and the old one beside it`() async throws {
        try await withServer { server in
            try server.root.write("ralph.yml", "old: 1 # words\n")
            let yaml = "\u{FEFF}# mine\r\nunknown: {deep: [1, 0x1F]}\r\ncli:\r\n  backend: claude"
            let response = try await put(server, yaml)
            #expect(response.status == 200)
            let answer = try response.object()
            #expect(answer["status"] as? String == "Configuration imported successfully")
            #expect(answer["path"] as? String == "ralph.yml")
            let backup = try #require(answer["backup"] as? String)
            #expect(backup.wholeMatch(of: #/ralph\.yml\.bak-\d{8}-\d{6}/#) != nil)
            #expect(file(server, backup) == "old: 1 # words\n")
            #expect(FileManager.default.contents(atPath: server.root.path + "/ralph.yml") == Data(yaml.utf8))

            let export = try await server.post("/api/config/export")
            // Reading this JSON with Foundation would take the mark at its beginning away.
            #expect(export.text.hasPrefix("{\"content\":\"\u{FEFF}# mine\\r\\n"))
            #expect(try export.object()["filename"] as? String == "ralph.yml")
        }
    }

    @Test(arguments: [
        ("", "Invalid YAML: the document is empty"),
        ("- a\n", "Invalid YAML: line 1: the configuration must be a map"),
        ("words", "Invalid YAML: line 1: the configuration must be a map"),
        ("a: 1\nb: 2\na: 3\n", "Invalid YAML: line 1: a is there twice"),
        ("project: {x: 1}\n", "Invalid YAML: the key 'project' is no longer taken by Ralph; use 'core'"),
    ])
    func `what is no configuration changes nothing`(_ yaml: String, _ error: String) async throws {
        try await withServer { server in
            try server.root.write("ralph.yml", "old: 1\n")
            let response = try await put(server, yaml)
            #expect(response.status == 400)
            #expect(try response.object()["error"] as? String == error)
            #expect(file(server, "ralph.yml") == "old: 1\n")
            #expect(try server.root.names(in: "").sorted() == [".state", "ralph.yml"])
        }
    }

    @Test func `bombs and depth are refused in time`() async throws {
        try await withServer { server in
            var bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n"
            for level in 1...9 {
                let aliases = Array(repeating: "*a\(level - 1)", count: 9).joined(separator: ", ")
                bomb += "a\(level): &a\(level) [\(aliases)]\n"
            }
            for yaml in [
                bomb, "a: [" + String(repeating: "[", count: 500_000),
                "a: \"\u{1}\"", "&a [*a]",
            ] {
                let response = try await put(server, yaml)
                #expect(response.status == 400)
                #expect(try (response.object()["error"] as? String)?.hasPrefix("Invalid YAML: ") == true)
            }
            #expect(try await server.get("/health").status == 200)
        }
    }

    @Test func `more than is read of a configuration is too large`() async throws {
        try await withServer { server in
            let most = "a: " + String(repeating: "x", count: (1 << 20) - 3)
            let refused = try await put(server, most + "x")
            #expect(refused.status == 413)
            #expect(try refused.object()["error"] as? String == "body_too_large")
            #expect(file(server, "ralph.yml") == nil)
            #expect(try await put(server, most).status == 200)
        }
    }
}
