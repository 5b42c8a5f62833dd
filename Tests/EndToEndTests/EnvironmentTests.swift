import Foundation
import RalphTestSupport
import Testing

extension EndToEnd {
    /// The variables of http-contract 15.1.
    struct EnvironmentTests {
        @Test func `RALPH_HOME is the root and a root flag wins over it`() async throws {
            try await withTemporaryDirectory { place in
                try place.appendLines(1...1, to: "a")
                try place.write("other/b/.ralph/events.jsonl", "")
                let variables = ["RALPH_HOME": place.path + "/tree"]
                let fromVariable = try ServerProcess(["--port", "0"], environment: variables, in: place)
                let fromFlag = try ServerProcess(
                    ["--port", "0", "--root", place.path + "/other"], environment: variables, in: place)

                _ = try await fromVariable.port()
                #expect(fromVariable.output.contains("/tree/a\n"))
                _ = try await fromFlag.port()
                #expect(fromFlag.output.contains("/other/b\n"))
                #expect(!fromFlag.output.contains("/tree/a\n"))
            }
        }

        @Test func `the current directory is the root when nothing names one`() async throws {
            try await withTemporaryDirectory { place in
                try place.write("here/.ralph/events.jsonl", "")
                let process = try ServerProcess(["--port", "0"], environment: ["RALPH_HOME": ""], in: place)

                _ = try await process.port()
                #expect(process.output.contains("\(place.path)/here\n"))
            }
        }

        @Test func `RALPH_MOBILE_SERVER_BIND wins over the bind flag and a line says so`() async throws {
            try await withTemporaryDirectory { place in
                let process = try ServerProcess(
                    ["--bind", "192.0.2.1:1"], environment: ["RALPH_MOBILE_SERVER_BIND": "127.0.0.2:0"],
                    in: place)

                _ = try await process.port()
                #expect(process.output.contains("Starting ralph-mobile-server on 127.0.0.2:"))
                let line = "RALPH_MOBILE_SERVER_BIND wins over --bind 192.0.2.1:1"
                #expect(process.errors.contains(line), "\(process.errors)")
            }
        }

        @Test func `RALPH_MOBILE_SERVER_BIND wins over bind-all and the port and a line says so`()
            async throws
        {
            try await withTemporaryDirectory { place in
                let process = try ServerProcess(
                    ["--bind-all", "--port", "1", "--log-level", "warning"],
                    environment: ["RALPH_MOBILE_SERVER_BIND": "127.0.0.2:0"], in: place)

                _ = try await process.port()
                #expect(process.output.contains("Starting ralph-mobile-server on 127.0.0.2:"))
                let lines = process.errors.split(separator: "\n")
                    .filter { $0.contains("RALPH_MOBILE_SERVER_BIND wins over --bind-all and --port 1") }
                #expect(lines.count == 1, "\(process.errors)")
            }
        }

        @Test func `RALPH_API_KEY is required on loopback too and never printed unasked`() async throws {
            try await withTemporaryDirectory { place in
                let variables = ["RALPH_API_KEY": "quagga-key-of-the-environment", "RUST_LOG": "trace"]
                let process = try ServerProcess(["--port", "0"], environment: variables, in: place)
                let port = try await process.port()

                #expect(try await status(of: "/api/sessions", port: port) == 401)
                #expect(
                    try await status(
                        of: "/api/sessions", port: port,
                        headers: ["X-Api-Key": "quagga-key-of-the-environment"])
                        == 200)
                #expect(!(process.output + process.errors).contains("quagga-key-of-the-environment"))
            }
        }

        @Test func `show-key prints the key`() async throws {
            try await withTemporaryDirectory { place in
                let process = try ServerProcess(
                    ["--port", "0", "--show-key"],
                    environment: ["RALPH_API_KEY": "quagga-key-of-the-environment"],
                    in: place)

                _ = try await process.port()
                #expect(process.output.contains("API key: quagga-key-of-the-environment\n"))
            }
        }

        @Test(arguments: [
            (["RUST_LOG": "debug"], [], true), (["RUST_LOG": "ralph_core=trace,debug"], [], true),
            (["RUST_LOG": "ralph_core=debug"], [], false), (["RUST_LOG": "ralph_core"], [], false),
            (["RUST_LOG": "ralph_core, debug"], [], true), (["RUST_LOG": "debug,ralph::cli"], [], true),
            (["RUST_LOG": "debug"], ["--log-level", "error"], false),
            (["RUST_LOG": ""], ["--log-level", "debug"], true), ([:], [], false),
        ])
        func `RUST_LOG sets the level of the log`(
            environment: [String: String], arguments: [String], isTalkative: Bool
        ) async throws {
            try await withTemporaryDirectory { place in
                let process = try ServerProcess(
                    ["--port", "0"] + arguments, environment: environment, in: place)
                let port = try await process.port()
                #expect(try await status(of: "/api/missing", port: port) == 404)
                process.signal(SIGTERM)
                #expect(try await process.exitStatus() == 0)

                #expect(process.errors.contains(" debug ") == isTalkative, "\(process.errors)")
            }
        }

        @Test func `a word of RUST_LOG that is no level is passed over and a line says so`() async throws {
            try await withTemporaryDirectory { place in
                let process = try ServerProcess(
                    ["--port", "0"], environment: ["RUST_LOG": "ralph_core,ralph_cli=debug"], in: place)

                _ = try await process.port()
                let lines = process.errors.split(separator: "\n").filter { $0.contains("RUST_LOG") }
                #expect(lines.count == 1, "\(process.errors)")
                #expect(lines.first?.contains("RUST_LOG: ralph_core is no level of the log") == true)
            }
        }
    }
}

/// The status of one request.
func status(of target: String, port: Int, headers: [String: String] = [:]) async throws -> Int {
    let probe = try HTTPProbe(port: port)
    try await probe.request(target, headers: headers)
    return try await probe.response().status
}
