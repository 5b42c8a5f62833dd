import Foundation
import RalphServer
import RalphTestSupport
import Testing

/// Clients that send as slowly as they can, so that their connections last: bytes that come buy no time.
@Suite(.timeLimit(.minutes(1)))
struct SlowClientTests {
    /// Sends `bytes` again and again until there is an answer; gives its status and how long that took.
    private func drip(
        _ bytes: String, on probe: HTTPProbe
    ) async throws -> (status: Int, after: Duration) {
        let start = ContinuousClock.now
        var status = 0
        try await eventually(within: .seconds(10), "an answer") {
            // The server may be closing already.
            try? await probe.send(bytes)
            status = (try? await probe.response(within: .milliseconds(50)).status) ?? 0
            return status != 0
        }
        return (status, .now - start)
    }

    @Test func `a head that drips is a 408 in time, however many bytes come`() async throws {
        try await withServer({ $0.http.headSeconds = 2 }) { server in
            let probe = try server.probe()
            try await probe.send("GET /health HTTP/1.1\r\nHost: localhost\r\nX-Slow: ")
            let (status, after) = try await drip("a", on: probe)

            #expect(status == 408)
            #expect(after < .seconds(5))
            try await probe.waitForClose()
        }
    }

    @Test(arguments: [("Content-Length: 100000", "a"), ("Transfer-Encoding: chunked", "1\r\na\r\n")])
    func `a body that drips is a 408 in time`(_ kind: (header: String, drop: String)) async throws {
        try await withServer({ $0.http.bodySeconds = 2 }) { server in
            let probe = try server.probe()
            try await probe.send("POST /api/sessions HTTP/1.1\r\nHost: localhost\r\n\(kind.header)\r\n\r\n")
            let (status, after) = try await drip(kind.drop, on: probe)

            #expect(status == 408)
            #expect(after < .seconds(5))
            try await probe.waitForClose()
        }
    }

    @Test func `a second head that drips ends with the patience for an idle connection`() async throws {
        try await withServer({ $0.http.idleSeconds = 2 }) { server in
            let probe = try server.probe()
            try await probe.request("/health")
            _ = try await probe.response()
            try await eventually(within: .seconds(5), "close") {
                // The server may be closing already.
                try? await probe.send("G")
                try await probe.waitForClose(within: .milliseconds(50))
                return true
            }
        }
    }

    @Test func `an empty line again and again buys no time either`() async throws {
        try await withServer({ $0.http.headSeconds = 2 }) { server in
            let (status, after) = try await drip("\r\n", on: try server.probe())

            #expect(status == 408)
            #expect(after < .seconds(5))
        }
    }
}
