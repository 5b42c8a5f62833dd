import Foundation
import RalphTestSupport
import Testing

extension EndToEnd {
    /// Flags of who may come in, and what is left of a server that ended.
    struct AccessTests {
        @Test(arguments: [
            ["--no-auth", "--bind-all"], ["--no-auth", "--bind", "::"],
            ["--no-auth", "--bind", "127.evil.example"],
            ["--api-key-file", "/dev/zero"], ["--api-key-file", "/nonexistent"], ["--trusted-proxy", "a"],
        ])
        func `a server that would be open to others does not start`(_ flags: [String]) async throws {
            try await withTemporaryDirectory { place in
                let process = try ServerProcess(["--port", "0", "--root", place.path] + flags, in: place)

                #expect(try await process.exitStatus() == 1)
                #expect(process.output.isEmpty)
                #expect(process.errors.hasPrefix("ralph-mobile-server: "))
                #expect(process.errors.split(separator: "\n").count == 1)
            }
        }

        @Test func `a key from a file and a key in the query`() async throws {
            try await withTemporaryDirectory { place in
                let key = "key-of-a-file-0123456789"
                let path = try place.write("key", key + "\n")
                try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
                let service = try await Service(in: place, ["--api-key-file", path, "--allow-query-key"])

                #expect(try await service.get("/api/sessions").status == 401)
                #expect(try await service.get("/api/sessions", headers: ["X-Api-Key": key]).status == 200)
                #expect(try await service.get("/api/sessions?api_key=" + key).status == 200)
                #expect(!service.process.output.contains(key) && !service.process.errors.contains(key))
            }
        }

        @Test func `a proxy that is trusted makes nobody local`() async throws {
            try await withTemporaryDirectory { place in
                let service = try await Service(in: place, ["--trusted-proxy", "127.0.0.0/8"])
                let headers = ["X-Forwarded-For": "127.0.0.1"]

                #expect(try await service.get("/api/sessions").status == 200)
                #expect(try await service.get("/api/sessions", headers: headers).status == 401)
            }
        }

        @Test func `said twice a server is open to all`() async throws {
            try await withTemporaryDirectory { place in
                let service = try await Service(in: place, ["--bind-all", "--no-auth", "--i-know"])
                let headers = ["X-Forwarded-For": "203.0.113.9"]

                #expect(try await service.get("/api/sessions", headers: headers).status == 200)
                #expect(!FileManager.default.fileExists(atPath: place.path + "/state/api-key"))
            }
        }

        @Test func `a state directory that others may write to ends the start`() async throws {
            try await withTemporaryDirectory { place in
                try FileManager.default.createDirectory(
                    atPath: place.path + "/shared", withIntermediateDirectories: true)
                try FileManager.default.setAttributes(
                    [.posixPermissions: 0o777], ofItemAtPath: place.path + "/shared")
                let process = try ServerProcess(
                    ["--port", "0", "--root", place.path, "--state-dir", place.path + "/shared"], in: place)

                #expect(try await process.exitStatus() == 1)
                #expect(process.errors.contains("chmod 700"))
                #expect(try place.names(in: "shared").isEmpty)
            }
        }

        @Test(.enabled(if: getuid() != 0, "root may write everywhere"))
        func `a state directory that cannot be written to ends the start`() async throws {
            try await withTemporaryDirectory { place in
                let path = place.path + "/locked"
                try FileManager.default.createDirectory(
                    atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o500])
                let process = try ServerProcess(
                    ["--port", "0", "--root", place.path, "--state-dir", path], in: place)

                #expect(try await process.exitStatus() == 1)
                #expect(
                    process.errors.contains(
                        "\(path) exists, but cannot be written to: Permission denied. Choose another"))
            }
        }

        @Test func `the record of a running server is there while it runs`() async throws {
            try await withTemporaryDirectory { place in
                let service = try await Service(in: place, ["--bind-all"])
                #expect(try place.mode("state/server.json") == 0o600)
                service.process.signal(SIGTERM)
                #expect(try await service.process.exitStatus() == 0)
                #expect(try !place.names(in: "state").contains("server.json"))
            }
        }
    }
}
