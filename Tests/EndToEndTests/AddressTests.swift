import Foundation
import RalphTestSupport
import Testing

extension EndToEnd {
    /// Two servers that want the same thing.
    struct AddressTests {
        @Test func `a port that is taken is told in words and ends the program`() async throws {
            try await withTemporaryDirectory { place in
                let first = try await Service(in: place)
                let (status, output, errors) = try await run(["--port", String(first.port)])

                #expect(status != 0)
                #expect(!output.contains("Starting"))
                #expect(errors.contains("Cannot listen on 127.0.0.1:\(first.port): Address already in use"))
            }
        }

        @Test func `a state directory in use is refused with the pid of its user`() async throws {
            try await withTemporaryDirectory { place in
                let first = try await Service(in: place)
                let (status, output, errors) = try await run([
                    "--port", "0", "--state-dir", place.path + "/state",
                ])

                #expect(status != 0)
                #expect(output.isEmpty)
                #expect(errors.contains("is in use by the process with pid \(first.process.pid);"))
                #expect(errors.split(separator: "\n").count == 1)
                #expect(try await first.get("/health").status == 200)
            }
        }

        @Test func `the same start twice is told of the port before the state directory`() async throws {
            try await withTemporaryDirectory { place in
                let first = try await Service(in: place)
                let (status, output, errors) = try await run([
                    "--port", String(first.port), "--state-dir", place.path + "/state",
                ])

                #expect(status != 0)
                #expect(output.isEmpty)
                #expect(
                    errors.hasPrefix(
                        "ralph-mobile-server: Cannot listen on 127.0.0.1:\(first.port): Address already in use."
                    ))
                #expect(errors.contains("is in use by the process with pid \(first.process.pid);"))
                #expect(errors.split(separator: "\n").count == 1)
                #expect(try await first.get("/health").status == 200)
            }
        }

        @Test func `servers of different roots do not meet`() async throws {
            try await withTemporaryDirectory { place in
                try place.write("a/.keep", "")
                try place.write("b/.keep", "")
                let processes = try ["/a", "/b"].map { name in
                    try ServerProcess(["--port", "0", "--root", place.path + name], in: place)
                }

                for process in processes { _ = try await process.port() }
                let states = try place.names(in: ".local/state/ralph-mobile-server")
                #expect(states.count == 2)
                #expect(states.allSatisfy { $0.count == 12 && $0.allSatisfy(\.isHexDigit) })
            }
        }
    }
}
