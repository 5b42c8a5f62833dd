import Foundation
import RalphTestSupport
import Testing

extension EndToEnd {
    /// `scripts/test` around a runner that says its lines and ends, and what it demands before.
    struct TestScriptTests {
        private static let closingLine = "✔ Test run with 4 tests in 1 suite passed after 0.1 seconds."
        private static let lines = """
            ✔ Test "first" passed after 0.1 seconds.
            ➜ Test "second" skipped: "no room"
            \u{1b}[90m➜\u{1b}[0m Test "third" skipped: "no room"
            ➜ Test fourth() skipped.
            \(closingLine)
            a line of the runner's own

            """

        /// Runs the script with a runner that says `lines` and ends with `status`, and whose tests' servers log `log`.
        private func test(
            _ arguments: [String], log: String?, status: Int32 = 0, lines: String = Self.lines
        ) async throws -> (status: Int32, output: String) {
            try await withTemporaryDirectory { place in
                try place.write("lines", lines)
                if let log { try place.write("log", log) }
                try putFirst("swift", in: place) {
                    """
                    [ "$1" = test ] || exit 0
                    cat "$HOME/lines"
                    [ ! -f "$HOME/log" ] || cp "$HOME/log" "$RALPH_TEST_LOGS/server.log"
                    exit \(status)
                    """
                }
                let script = try ServerProcess(
                    arguments, environment: ["PATH": path(in: place)], in: place,
                    binary: Samples.packageRoot + "/scripts/test")
                return (try await script.exitStatus(), script.output + script.errors)
            }
        }

        private func putFirst(_ name: String, in place: TemporaryDirectory, _ text: () -> String) throws {
            let program = try place.write("bin/" + name, "#!/bin/sh\n" + text() + "\n")
            #expect(chmod(program, 0o755) == 0)
        }

        private func path(in place: TemporaryDirectory) -> String {
            place.path + "/bin:" + (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")
        }

        @Test(arguments: [["--filter", "RalphWireTests"], ["--skip=EndToEnd"]])
        func `a part of the suite may log nothing`(_ arguments: [String]) async throws {
            let (status, output) = try await test(arguments, log: nil)

            #expect(status == 0, "\(output)")
            #expect(output.contains("log-check: 0 lines"))
        }

        @Test func `the whole suite may not`() async throws {
            let (status, output) = try await test([], log: nil)

            #expect(status == 1)
            #expect(output.contains("log-check: no log was kept"))
        }

        @Test(arguments: [[], ["--filter", "RalphWireTests"]])
        func `a secret in a log fails a part and the whole`(_ arguments: [String]) async throws {
            let (status, output) = try await test(arguments, log: "key \(TestSecrets.key)\n")

            #expect(status == 1)
            #expect(!output.contains(TestSecrets.key))
        }

        @Test(arguments: ["✔ Test run with 0 tests in 0 suites passed after 0.1 seconds.\n", "nothing\n"])
        func `a pattern that fits no test is a failure`(_ lines: String) async throws {
            let (status, output) = try await test(["--filter", "Typo"], log: nil, lines: lines)

            #expect(status == 1)
            #expect(output.contains("test: no test ran"))
        }

        @Test(arguments: [Int32(0), 1])
        func `what was skipped stands before the closing line, which is the last`(_ status: Int32)
            async throws
        {
            let (ended, output) = try await test([], log: "a line\n", status: status)

            #expect(ended == status)
            let end = output.split(separator: "\n").suffix(3)
            #expect(
                Array(end) == ["2 skipped: no room", "1 skipped: no reason is given", "\(Self.closingLine)"])
        }

        @Test func `a Python that is too old is named`() async throws {
            try await withTemporaryDirectory { place in
                try putFirst("python3", in: place) { #"[ "$1" = -c ] && exit 1; echo "Python 3.10.2""# }
                let command = ". '\(Samples.packageRoot)/scripts/requirements.sh'; require_python; echo on"
                let script = try ServerProcess(
                    ["-c", command], environment: ["PATH": path(in: place)], in: place, binary: "/bin/sh")

                #expect(try await script.exitStatus() == 1)
                #expect(script.output.isEmpty)
                #expect(script.errors.contains("Python 3.11 or newer is missing.\n"))
                #expect(script.errors.contains("is Python 3.10.2"))
            }
        }

        @Test(arguments: [
            ("5.10.1", false), ("6.1", false), ("6.2", true), ("6.10.1", true), ("7.0-dev", true),
        ])
        func `a Swift that is too old is named`(version: String, isNewEnough: Bool) async throws {
            try await withTemporaryDirectory { place in
                try putFirst("swift", in: place) { "echo 'Swift version \(version) (swift-RELEASE)'" }
                let command = ". '\(Samples.packageRoot)/scripts/requirements.sh'; require_swift; echo on"
                let script = try ServerProcess(
                    ["-c", command], environment: ["PATH": path(in: place)], in: place, binary: "/bin/sh")

                #expect(try await script.exitStatus() == (isNewEnough ? 0 : 1))
                #expect(script.output == (isNewEnough ? "on\n" : ""))
                let sentence = "Swift 6.2 or newer is missing.\n    `swift` is "
                #expect(script.errors.contains(sentence) == !isNewEnough)
            }
        }
    }
}
