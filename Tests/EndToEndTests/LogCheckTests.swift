import Foundation
import RalphTestSupport
import Testing

extension EndToEnd {
    /// The look through what the servers of the whole suite logged.
    struct LogCheckTests {
        private static let leaks = [
            "key \(TestSecrets.key)", "token \(TestSecrets.token)",
            "\(TestSecrets.prompt.prefix { $0 != " " })",
            "GET /api/events?ticket=\(String(repeating: "0", count: 64))",
        ]

        private func check(_ text: String) async throws -> (status: Int32, output: String) {
            try await withTemporaryDirectory { place in
                try place.write("logs/server.log", "a line\n\(text)\n")
                let script = try ServerProcess(
                    [place.path + "/logs"],
                    environment: ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"],
                    in: place, binary: Samples.packageRoot + "/scripts/log-check")
                return (try await script.exitStatus(), script.output)
            }
        }

        @Test(arguments: leaks)
        func `a log that holds a secret is told with its line and without the secret`(_ leak: String)
            async throws
        {
            let (status, output) = try await check(leak)

            #expect(status == 1)
            #expect(output.contains("server.log:2:"))
            #expect(output.contains("***"))
            #expect(!output.contains(leak.split(separator: " ").last ?? ""))
        }

        @Test func `a log without one passes`() async throws {
            let (status, output) = try await check("2026-11-21T00:00:00Z debug: Request refused")

            #expect(status == 0)
            #expect(output.contains("2 lines"))
        }
    }
}
