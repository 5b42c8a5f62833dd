import Foundation
import RalphTestSupport
import Testing

extension EndToEnd {
    /// What scripts read and set (http-contract 15.1).
    struct StartUpTests {
        @Test func `the start is told in lines and port zero prints the real port`() async throws {
            try await withTemporaryDirectory { place in
                try place.appendLines(1...2, to: "a")
                try place.appendLines(1...2, to: "b")
                let service = try await Service(in: place)
                let lines = service.process.output.split(separator: "\n").map(String.init)

                #expect(lines.count == 4)
                #expect(lines.first == "Discovered 2 session(s)")
                for workspace in ["a", "b"] {
                    let id = try await service.session(workspace, events: 2)
                    #expect(lines[1...2].contains { $0.contains(id) && $0.hasSuffix("/tree/\(workspace)") })
                }
                #expect(lines.last == "Starting ralph-mobile-server on 127.0.0.1:\(service.port)")
                #expect(service.port > 0)
                #expect(try await service.get("/health").text == "OK")
            }
        }

        @Test func `a directory without any session is served`() async throws {
            try await withTemporaryDirectory { place in
                let service = try await Service(in: place)

                #expect(service.process.output.hasPrefix("Discovered 0 session(s)\nStarting "))
                #expect(try await service.get("/api/sessions").text == "[]")
            }
        }

        @Test func `a hang-up while the server begins does not end it`() async throws {
            try await withTemporaryDirectory { place in
                for number in 1...30 { try place.appendLines(1...50, to: "w\(number)") }
                let state = place.path + "/state"
                let process = try ServerProcess(
                    ["--port", "0", "--root", place.path + "/tree", "--state-dir", state], in: place)
                try await eventually(within: .seconds(20), "the first thing that a start makes") {
                    FileManager.default.fileExists(atPath: state)
                }
                process.signal(SIGHUP)

                _ = try await process.port()
                #expect(process.isRunning)
            }
        }

        @Test func `the end of its children is its own to see, whatever its parent ignores`() async throws {
            try await withTemporaryDirectory { place in
                let ignoring = "trap '' CHLD; exec \"$0\" \"$@\""
                let process = try ServerProcess(
                    ["-c", ignoring, ServerProcess.binary, "--port", "0", "--root", place.path], in: place,
                    binary: "/bin/sh")
                _ = try await process.port()

                let status = try String(contentsOfFile: "/proc/\(process.pid)/status", encoding: .utf8)
                let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("SigIgn:") })
                let mask = try #require(line.split(separator: "\t").last.flatMap { UInt64($0, radix: 16) })
                #expect(mask & (1 << (UInt64(SIGCHLD) - 1)) == 0)
            }
        }

        @Test func `threads bear the names that the documents tell`() async throws {
            try await withTemporaryDirectory { place in
                let service = try await Service(in: place)

                try await eventually(within: .seconds(10), "names") {
                    let names = service.process.threadNames
                    return ["ingest", "store", "accept", "checkpoints", "search"].allSatisfy(names.contains)
                        && names.contains { $0.hasPrefix("NIO-ELT-") }
                }
            }
        }

        @Test func `help at the top level lists every flag`() async throws {
            let (status, output, _) = try await run(["--help"])
            let document = try String(
                contentsOfFile: Samples.directory + "/../docs/configuration.md", encoding: .utf8)
            let flags = document.split(separator: "\n").filter { $0.hasPrefix("| `-") }
                .flatMap {
                    $0.split(separator: "|")[0].matches(of: /--?[a-z][a-z-]*/).map { String($0.output) }
                }
            let words = Set(output.split { !($0.isLetter || $0 == "-") }.map(String.init))

            #expect(status == 0)
            #expect(flags.count > 30)
            #expect(flags.filter { !words.contains($0) }.isEmpty)
        }

        /// A line that ends where the next word would still have fitted was broken twice.
        @Test(arguments: [[], ["pair"], ["devices"], ["devices", "revoke"], ["doctor"]])
        func `help is broken into lines for 80 columns and nowhere else`(command: [String]) async throws {
            let (_, output, _) = try await run(command + ["--help"], environment: ["COLUMNS": "80"])
            let overview = output.split(separator: "\n", omittingEmptySubsequences: false)
                .prefix { !$0.hasPrefix("USAGE:") }

            #expect(!overview.isEmpty && overview.allSatisfy { $0.count <= 80 })
            for (line, next) in zip(overview, overview.dropFirst()) where !line.isEmpty && !next.isEmpty {
                let word = next.prefix { $0 != " " }
                #expect(line.count + 1 + word.count > 79, "\(line)")
            }
        }

        @Test(arguments: [
            ("--version", "ralph-mobile-server "), ("--routes", "GET /"),
        ])
        func `a question about the program is answered and ends it`(flag: String, beginning: String)
            async throws
        {
            let (status, output, errors) = try await run([flag])

            #expect(status == 0)
            #expect(output.hasPrefix(beginning))
            #expect(errors.isEmpty)
        }

        @Test func `the routes that are printed are those that are served`() async throws {
            try await withTemporaryDirectory { place in
                let service = try await Service(in: place)
                let printed = try await run(["--routes"]).output.split(separator: "\n").map(String.init)
                let served = try await service.get("/").object()["endpoints"] as? [String]

                #expect(printed == served)
                #expect(printed.contains("GET /api/sessions/{id}/events"))
            }
        }

        @Test(arguments: WrongSetting.all)
        func `a wrong setting is told in one sentence and ends the program`(wrong: WrongSetting) async throws
        {
            let (status, output, errors) = try await run(wrong.arguments, environment: wrong.environment)

            #expect(status != 0)
            #expect(output.isEmpty)
            #expect(errors.contains(wrong.sentence), "\(errors)")
            #expect(errors.split(separator: "\n").count == 1)
        }

        @Test(arguments: [["--port", "no"], ["--no-such-flag"], ["--ring"], ["word"]])
        func `a command line that cannot be read says why and ends the program`(arguments: [String])
            async throws
        {
            let (status, output, errors) = try await run(arguments)

            #expect(status != 0)
            #expect(output.isEmpty)
            #expect(errors.hasPrefix("Error: "))
            #expect(errors.contains(arguments[0]))
        }
    }

    /// Settings that are read but cannot be used, and what is said about them.
    struct WrongSetting: Sendable, CustomTestStringConvertible {
        var arguments: [String] = []
        var environment: [String: String] = [:]
        let sentence: String

        var testDescription: String {
            (arguments + environment.map { "\($0.key)=\($0.value)" }).joined(separator: " ")
        }

        static let all: [WrongSetting] = [
            .init(
                arguments: ["--port", "65536"], sentence: "--port 65536: a port is a number from 0 to 65535."),
            .init(arguments: ["--port=-1"], sentence: "--port -1: a port is a number from 0 to 65535."),
            .init(arguments: ["--port", "-1"], sentence: "--port -1: a port is a number from 0 to 65535."),
            .init(
                arguments: ["--bind", "[::1"],
                sentence: "--bind [::1: expected HOST, HOST:PORT or [IPV6]:PORT."),
            .init(arguments: ["--bind", "127.0.0.1:http"], sentence: "--bind 127.0.0.1:http: expected HOST"),
            .init(arguments: ["--root", "missing"], sentence: "--root missing: there is no such directory."),
            .init(arguments: ["--rescan", "-1"], sentence: "--rescan -1.0: 0.1 to 3600 seconds."),
            .init(arguments: ["--ring", "99"], sentence: "--ring 99: the ring holds 100 to 1000000 events."),
            .init(arguments: ["--depth", "17"], sentence: "--depth 17: 0 to 16 levels."),
            .init(
                arguments: ["--exclude", "vendor/old"],
                sentence: "--exclude vendor/old: expected a directory's name, not a path;"),
            .init(arguments: ["--exclude", ""], sentence: "--exclude : expected a directory's name"),
            .init(arguments: ["--rescan", "0"], sentence: "--rescan 0.0: 0.1 to 3600 seconds."),
            .init(arguments: ["--rescan", "nan"], sentence: "--rescan nan: 0.1 to 3600 seconds."),
            .init(
                arguments: ["--log-level", "loud"], sentence: "--log-level loud: expected trace, debug, info"),
            .init(
                arguments: ["--bind-all", "--bind", "127.0.0.1"],
                sentence: "--bind-all: --bind 127.0.0.1 names an address as well; take one of the two away."),
            .init(
                arguments: ["--port", "8081", "--bind", "[::1]:8080"],
                sentence: "--port 8081: --bind [::1]:8080 names another port; take one of the two away."),
            .init(
                arguments: ["--state-dir", ""],
                sentence: "--state-dir: an empty path is no directory; name one, or leave the flag out."),
            .init(
                arguments: ["--demo", "--root", "/", "--root", "/usr"],
                sentence: "--demo plays copies of one --root, and 2 were given; scripts/run gives one itself."
            ),
            .init(
                arguments: ["--state-dir", "/proc/none"],
                sentence: "The state directory /proc/none cannot be made: No such file or directory. Choose"),
            .init(
                arguments: ["--state-dir", "/etc/passwd"],
                sentence: "The state directory /etc/passwd is no directory. Choose another with --state-dir."),
            .init(arguments: ["--demo"], sentence: "--demo: there is no recorded session below "),
            .init(
                arguments: ["--port", "0", "--bind", "192.0.2.1"],
                sentence: "Cannot listen on 192.0.2.1:0: No such address on this machine"),
            .init(
                arguments: ["--bind", "[2001:db8::1]:0"], sentence: "Cannot listen on [2001:db8::1]:0: "),
            .init(arguments: ["--port", "0", "--bind", "host.invalid"], sentence: "host.invalid"),
            .init(
                environment: ["RALPH_HOME": "/missing"],
                sentence: "RALPH_HOME /missing: there is no such directory."),
            .init(
                environment: ["RALPH_MOBILE_SERVER_BIND": "a:b"],
                sentence: "RALPH_MOBILE_SERVER_BIND a:b: expected HOST"),
        ]
    }
}

/// Runs the program to its end in a directory of its own.
func run(
    _ arguments: [String], environment: [String: String] = [:]
) async throws -> (status: Int32, output: String, errors: String) {
    try await withTemporaryDirectory { place in
        let process = try ServerProcess(arguments, environment: environment, in: place)
        let status = try await process.exitStatus()
        return (status, process.output, process.errors)
    }
}
