import Foundation
import RalphTestSupport
import Testing

extension EndToEnd {
    /// What a run gets of the server that started it, and what the server leaves on the disk.
    struct ContainmentTests {
        private static let key = "a-key-from-a-file-0123456789"

        /// Starts a server with a key from a file and a run in `tree/project`.
        private func withRun(
            _ body: (ServerProcess, Int, StandInWorkspace, TemporaryDirectory) async throws -> Void
        ) async throws {
            try await withTemporaryDirectory { place in
                let tree = TemporaryDirectory(path: place.path + "/tree")
                try tree.write("x", "")
                let file = try place.write("key", Self.key + "\n")
                chmod(file, 0o600)
                let workspace = try await StandInWorkspace(
                    StandInSetup(steps: "always:\n  touch began\n  wait-for .go\n"), in: tree)
                defer { workspace.cleanUp() }
                let server = try ServerProcess(
                    [
                        "--port", "0", "--root", tree.path, "--state-dir", place.path + "/state",
                        "--api-key-file", file, "--ralph", StandIn.path, "--log-level", "trace",
                    ],
                    environment: ["COPY_OF_IT": "x" + Self.key, "PATH": "/usr/bin:/bin", "KEPT": "yes"],
                    in: place)
                let port = try await server.port()
                let body1 = #"{"working_dir":"project","prompt":"go"}"#
                let answer = try await post("/api/sessions", body1, port)
                #expect(answer.status == 201, "\(answer.text)")
                try await workspace.waitForFile("began")
                try await body(server, port, workspace, place)
            }
        }

        private func post(_ target: String, _ body: String, _ port: Int) async throws -> HTTPProbe.Response {
            let probe = try HTTPProbe(port: port)
            try await probe.send(
                "POST \(target) HTTP/1.1\r\nHost: localhost\r\nX-Api-Key: \(Self.key)\r\n"
                    + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
            return try await probe.response(within: .seconds(30))
        }

        /// What the descriptors of a process lead to, the three standard ones left out.
        private func descriptors(_ pid: Int32) throws -> Set<String> {
            let folder = "/proc/\(pid)/fd"
            let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter {
                (Int($0) ?? 0) > 2
            }
            // One that was closed meanwhile leads nowhere.
            return Set(
                names.compactMap {
                    try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")
                })
        }

        @Test func `a run and its agents have no key, no descriptor and no mask of ours`() async throws {
            try await withRun { server, _, workspace, place in
                let record = try String(contentsOfFile: place.path + "/state/server.json", encoding: .utf8)
                let words = record.components(separatedBy: "\"").filter { $0.count >= 32 }
                #expect(!words.isEmpty)
                let processes = workspace.liveProcesses()
                #expect(processes.count > 1)
                let own = try descriptors(server.pid)
                for process in processes {
                    for name in ["environ", "cmdline"] {
                        let bytes =
                            FileManager.default.contents(atPath: "/proc/\(process.pid)/\(name)") ?? Data()
                        let text = String(decoding: bytes, as: UTF8.self)
                        for secret in words + [Self.key] { #expect(!text.contains(secret)) }
                        if name == "environ" { #expect(text.contains("KEPT=yes")) }
                    }
                    #expect(try own.intersection(descriptors(process.pid)).isEmpty)
                }
                let line = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
                    .split(separator: "\n").first { $0.hasPrefix("Umask:") }
                let mask = try #require(
                    line.flatMap { Int($0.dropFirst(6).trimmingCharacters(in: .whitespaces), radix: 8) })
                #expect(try workspace.directory.mode("began") == 0o666 & ~mask)
            }
        }

        @Test func `everything that the server writes into its state directory is its owner's alone`()
            async throws
        {
            try await withRun { server, port, workspace, place in
                let id = try await post("/api/config/export?workspace=project", "", port)
                #expect(id.status == 200)
                let import1 = try await post(
                    "/api/config/import?workspace=project",
                    #"{"content":"cli: {backend: claude}\n"}"#, port)
                #expect(import1.status == 200)
                try workspace.directory.write(".go", "")
                server.signal(SIGTERM)
                #expect(try await server.exitStatus() == 0)

                let state = place.path + "/state"
                let names = try FileManager.default.subpathsOfDirectory(atPath: state)
                #expect(names.contains { $0.hasSuffix("stdout.jsonl") })
                for name in names {
                    let mode = try #require(try place.mode("state/" + name))
                    #expect(mode & 0o077 == 0, "\(name) \(String(mode, radix: 8))")
                }
                #expect(try place.mode("state") == 0o700)
            }
        }
    }
}
