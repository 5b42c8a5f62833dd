import Foundation
import RalphTestSupport
import Testing

extension EndToEnd {
    /// The key of a server that other machines can reach (design 8).
    struct KeyTests {
        @Test func `bind-all mints a key once stores it for its owner alone and requires it`() async throws {
            try await withTemporaryDirectory { place in
                let first = try await Service(in: place, ["--bind-all"])
                let key = try String(contentsOfFile: place.path + "/state/api-key", encoding: .utf8)
                    .trimmingCharacters(in: .newlines)

                #expect(key.count == 64)
                #expect(first.process.output.components(separatedBy: key).count == 2)
                #expect(first.process.output.contains("Starting ralph-mobile-server on 0.0.0.0:"))
                try await expectRequired(key, first)
                first.process.signal(SIGTERM)
                #expect(try await first.process.exitStatus() == 0)

                let second = try await Service(in: place, ["--bind-all"])
                #expect(!second.process.output.contains(key))
                try await expectRequired(key, second)
            }
        }

        @Test func `show-key prints a key that was made earlier`() async throws {
            try await withTemporaryDirectory { place in
                let first = try await Service(in: place, ["--bind-all"])
                first.process.kill()
                _ = try await first.process.exitStatus()
                let key = try String(contentsOfFile: place.path + "/state/api-key", encoding: .utf8)
                let second = try await Service(in: place, ["--bind-all", "--show-key"])

                #expect(second.process.output.contains("API key: \(key)"))
            }
        }

        @Test func `the state directory and all in it are for their owner alone`() async throws {
            try await withTemporaryDirectory { place in
                try place.appendLines(1...10, to: "a")
                let service = try await Service(in: place, ["--bind-all"])
                let names = try place.names(in: "state")

                #expect(names.contains("api-key"))
                #expect(names.contains("events.sqlite"))
                #expect(try place.mode("state") == 0o700)
                for name in names {
                    // SQLite's journals come and go.
                    let isPassing = name.hasSuffix("-journal")
                    let mode = isPassing ? try? place.mode("state/" + name) : try place.mode("state/" + name)
                    #expect(mode == (name == "runs" ? 0o700 : 0o600) || isPassing && mode == nil, "\(name)")
                }
                withExtendedLifetime(service) {}
            }
        }

        private func expectRequired(_ key: String, _ service: Service) async throws {
            for path in ["/api/sessions", "/api/events", "/api/health"] {
                #expect(try await status(of: path, port: service.port) == 401)
            }
            #expect(try await status(of: "/health", port: service.port) == 200)
            for headers in [["X-Api-Key": key], ["Authorization": "Bearer " + key]] {
                #expect(try await status(of: "/api/sessions", port: service.port, headers: headers) == 200)
            }
            for headers in [["X-Api-Key": key + "0"], ["Authorization": "Bearer " + key.dropLast()]] {
                #expect(try await status(of: "/api/sessions", port: service.port, headers: headers) == 401)
            }
        }
    }
}
