import Foundation
import RalphTestSupport
import Testing

extension EndToEnd {
    /// The black-box tests of `scripts/`, which share no line of code with the server, in their short forms.
    struct ScriptTests {
        @Test(arguments: [
            ["torture", "--short", "--seed", "20261121", "--seconds", "90"], ["samples-check"],
            ["control-check", "--cycles", "4"],
            ["attack", "--fast", "--part", "1/3"], ["attack", "--fast", "--part", "2/3"],
            ["attack", "--fast", "--part", "3/3"],
            ["control-torture", "--runs", "3", "--kills", "3", "--length", "20", "--seconds", "8"],
        ])
        func `a black-box script passes`(command: [String]) async throws {
            try await run(command)
        }

        @Test(
            .enabled(
                if: hasSchemathesis, "schemathesis is not installed; scripts/fuzz-api says how to get it"))
        func `every answer is what the OpenAPI document says`() async throws {
            try await run(
                ["fuzz-api", "--short", "--seed", "20261121", "--limit", "560"], within: .seconds(570))
        }

        /// - Parameter limit: more than a script allows itself.
        private func run(_ command: [String], within limit: Duration = .seconds(180)) async throws {
            try await withTemporaryDirectory { place in
                let script = try ServerProcess(
                    Array(command.dropFirst()) + ["--binary", ServerProcess.binary],
                    environment: [
                        "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin",
                        "PYTHONDONTWRITEBYTECODE": "1",
                    ], in: place,
                    binary: Samples.packageRoot + "/scripts/" + command[0])

                let status = try await exitStatus(of: script, within: limit)
                #expect(status == 0, "\(script.output)\(script.errors)")
                #expect(script.output.contains("\(command[0]): passed: "))
            }
        }

        /// The exit status of a script, which is interrupted at the limit so that it ends what it has started.
        private func exitStatus(of script: ServerProcess, within limit: Duration) async throws -> Int32 {
            do {
                return try await script.exitStatus(within: limit)
            } catch {
                script.signal(SIGINT)
                // One that does not end now is killed with its owner.
                _ = try? await script.exitStatus(within: .seconds(20))
                Issue.record("\(script.output)\(script.errors)")
                throw error
            }
        }

        /// Whether it is where `scripts/fuzz-api` looks for it.
        private static let hasSchemathesis: Bool = {
            let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
            let places =
                [Samples.packageRoot + "/.build/fuzz/bin"] + path.split(separator: ":").map(String.init)
            return places.contains {
                FileManager.default.isExecutableFile(atPath: $0 + "/schemathesis")
            }
        }()
    }
}
