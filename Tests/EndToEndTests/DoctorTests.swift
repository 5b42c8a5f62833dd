import Foundation
import RalphTestSupport
import Testing

extension EndToEnd {
    /// `ralph-mobile-server doctor` as a process.
    struct DoctorTests {
        private struct Said {
            let status: Int32
            let output: String
            let errors: String

            func level(of subject: String) throws -> String? {
                let findings = try object()["findings"] as? [[String: Any]] ?? []
                return findings.first { $0["subject"] as? String == subject }?["level"] as? String
            }

            func object() throws -> [String: Any] {
                try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any] ?? [:]
            }
        }

        private func doctor(
            _ arguments: [String], in place: TemporaryDirectory, environment: [String: String] = [:]
        ) async throws -> Said {
            let process = try ServerProcess(["doctor"] + arguments, environment: environment, in: place)
            let status = try await process.exitStatus(within: .seconds(60))
            return Said(status: status, output: process.output, errors: process.errors)
        }

        private func settings(_ place: TemporaryDirectory) throws -> [String] {
            try FileManager.default.createDirectory(
                atPath: place.path + "/tree", withIntermediateDirectories: true)
            return ["--root", place.path + "/tree", "--state-dir", place.path + "/state", "--port", "0"]
        }

        @Test func `an ordinary machine passes, in lines and as JSON, and nothing is made`() async throws {
            try await withTemporaryDirectory { place in
                let settings = try settings(place)
                let lines = try await doctor(settings, in: place)
                let json = try await doctor(settings + ["--json"], in: place)

                #expect(lines.status == 0, "\(lines.output)")
                #expect(
                    lines.output.split(separator: "\n").allSatisfy {
                        ["ok  ", "warn", "    "].contains($0.prefix(4))
                    })
                #expect(lines.output.contains("Start with --bind") || lines.output.contains("no address"))
                #expect(json.status == 0)
                #expect(["ok", "warn"].contains(try json.object()["status"] as? String))
                #expect(try json.level(of: "store") == "ok")
                #expect(!FileManager.default.fileExists(atPath: place.path + "/state"))
            }
        }

        @Test func `the key of the variable is read as the server reads it`() async throws {
            try await withTemporaryDirectory { place in
                let variables = ["RALPH_API_KEY": "0123456789abcdef0123456789\n"]
                let server = try ServerProcess(
                    try settings(place), environment: variables, in: place)
                let url = "http://127.0.0.1:\(try await server.port())"
                let said = try await doctor(
                    [url, "--watch", "1", "--json"], in: place, environment: variables)

                #expect(try said.level(of: "key") == "ok", "\(said.output)")
            }
        }

        @Test func `something to mend is status 1`() async throws {
            try await withTemporaryDirectory { place in
                let settings = try settings(place)
                let missing = try await doctor(settings + ["--root", place.path + "/none"], in: place)
                try place.write("state/.keep", "")
                chmod(place.path + "/state", 0o775)
                let open = try await doctor(settings + ["--json"], in: place)
                chmod(place.path + "/state", 0o755)
                let readable = try await doctor(settings + ["--json"], in: place)

                #expect(missing.status == 1)
                #expect(missing.output.hasPrefix("fail  settings"))
                #expect(open.status == 1)
                #expect(try open.level(of: "state") == "fail")
                #expect(readable.status == 0, "\(readable.output)")
                #expect(try readable.level(of: "state") == "warn")
            }
        }

        @Test func `a running server is found by its state directory and measured by its address`()
            async throws
        {
            try await withTemporaryDirectory { place in
                let service = try await Service(in: place)
                let arguments = [
                    "--root", place.path + "/tree", "--state-dir", place.path + "/state", "--json",
                    "--port", String(service.port),
                ]
                let local = try await doctor(arguments, in: place)
                let remote = try await doctor(
                    ["http://127.0.0.1:\(service.port)", "--watch", "1", "--json"], in: place)

                #expect(local.status == 0, "\(local.output)")
                #expect(local.output.contains("runs as process \(service.process.pid)"))
                #expect(local.output.contains("in use by the server"))
                #expect(local.output.contains("held by the server"))
                #expect(remote.status == 0, "\(remote.output)")
                #expect(try remote.level(of: "buffering") == "ok")
                #expect(try remote.level(of: "idle") == "ok")
            }
        }

        @Test func `a key comes from a file or the environment and is never shown`() async throws {
            try await withTemporaryDirectory { place in
                let key = "0123456789abcdefghijklmnopqrstuv"
                let file = try place.write("key", key + "\n")
                chmod(file, 0o600)
                let service = try await Service(in: place, ["--api-key-file", file])
                let url = "http://127.0.0.1:\(service.port)"
                let named = try await doctor([url, "--watch", "1", "--key-file", file], in: place)
                let set = try await doctor(
                    [url, "--watch", "1"], in: place, environment: ["RALPH_API_KEY": key])
                let none = try await doctor([url, "--watch", "1"], in: place)
                let token = try place.write("token", "rmd_" + String(repeating: "0", count: 64) + "\n")
                chmod(token, 0o600)
                let wrong = try await doctor([url, "--watch", "1", "--key-file", token], in: place)

                #expect(named.status == 0 && set.status == 0)
                #expect(named.output.contains("accepted") && set.output.contains("accepted"))
                #expect(none.output.contains("one is needed (401)"))
                // A device's token is looked for among the devices.
                #expect(wrong.status == 1 && wrong.output.contains("(401)"))
                for said in [named, set, none] { #expect(!(said.output + said.errors).contains(key)) }
            }
        }

        @Test(arguments: [
            ["http://user:verysecret@host"], ["ftp://verysecret"], ["http://h", "--watch", "0"],
            ["http://h", "--watch", "601"], ["http://h", "--fingerprint", "verysecret"],
            ["--key-file", "verysecret"],
            ["http://h", "--key-file", "missing"],
        ])
        func `a wrong command line is told without what may be a key`(arguments: [String]) async throws {
            try await withTemporaryDirectory { place in
                let said = try await doctor(arguments, in: place)

                #expect(said.status != 0)
                #expect(said.output.isEmpty)
                #expect(said.errors.hasPrefix("Error: "))
                #expect(!said.errors.contains("verysecret"))
            }
        }

        @Test func `a server of ours that speaks HTTP_2 first is measured to the end`() async throws {
            try await withTemporaryDirectory { place in
                let service = try await Service(in: place, ["--tls-self-signed"])
                let line = service.process.output.split(separator: "\n").first { $0.contains("SHA-256") }
                let fingerprint = try #require(line?.split(separator: " ").last)
                let url = "https://127.0.0.1:\(service.port)"
                let said = try await doctor(
                    [url, "--watch", "1", "--fingerprint", String(fingerprint)], in: place)

                #expect(said.status == 0, "\(said.errors)")
                #expect(said.output.contains("http/2        offered"))
            }
        }

        @Test(arguments: [
            ("http", ["--tls-self-signed"], "TLS is spoken at this port", "https"),
            ("https", [], "plain HTTP is spoken at this port", "http"),
        ])
        func `TLS at a port that is called without, and the other way round, are told as that`(
            given: String, flags: [String], words: String, other: String
        ) async throws {
            try await withTemporaryDirectory { place in
                let service = try await Service(in: place, flags)
                let said = try await doctor(["\(given)://127.0.0.1:\(service.port)"], in: place)

                #expect(said.status == 1)
                #expect(said.output.contains(words), "\(said.output)")
                #expect(said.output.contains("Try \(other)://127.0.0.1:\(service.port)."))
            }
        }

        @Test func `a limit of descriptors without room for clients is told`() async throws {
            try await withTemporaryDirectory { place in
                let few = "ulimit -n 48; exec \(ServerProcess.binary) "
                let settings = try settings(place).joined(separator: " ")
                let server = try ServerProcess(["-c", few + settings], in: place, binary: "/bin/sh")
                let doctor = try ServerProcess(
                    ["-c", few + "doctor " + settings], in: place, binary: "/bin/sh")

                #expect(try await server.exitStatus() != 0)
                #expect(server.output.isEmpty)
                #expect(server.errors.contains("The limit on open descriptors is 48, and 128 is the least"))
                #expect(server.errors.split(separator: "\n").count == 1)
                #expect(try await doctor.exitStatus(within: .seconds(60)) == 1)
                #expect(doctor.output.contains("the server does not start with fewer than 128"))
            }
        }

        @Test func `nobody at the address is status 1`() async throws {
            try await withTemporaryDirectory { place in
                let said = try await doctor(["http://127.0.0.1:1"], in: place)

                #expect(said.status == 1)
                #expect(said.output.contains("fail  connect"))
            }
        }
    }
}
