import Foundation
import RalphServer
import RalphTestSupport
import Testing

/// The limits on requests, as clients meet them.
@Suite(.timeLimit(.minutes(1)))
struct RateLimitTests {
    private static let key = ["X-Api-Key": "0123456789abcdef"]

    private func withLimit(
        _ rate: Int, _ body: @Sendable @escaping (RunningServer) async throws -> Void
    ) async throws {
        try await withServer(
            {
                $0.apiKey = Self.key["X-Api-Key"]
                $0.rates = RequestRates(perSecond: rate)
            }, body)
    }

    @Test(arguments: ["/api/health", "/api/sessions"])
    func `too many requests on a connection are 429, and it stays open`(_ path: String) async throws {
        try await withLimit(1) { server in
            let probe = try server.probe()
            var answers: [HTTPProbe.Response] = []
            // Slow answers take longer to be too many.
            while answers.count < 60, answers.count(where: { $0.status == 429 }) < 3 {
                try await probe.request(path, headers: Self.key)
                answers.append(try await probe.response())
            }
            let refused = try #require(answers.last)

            #expect(answers.prefix(2).map(\.status) == [200, 200])
            #expect(answers.filter { $0.status == 429 }.count == 3)
            #expect(try refused.object()["error"] as? String == "rate_limited")
            #expect(try refused.object()["code"] as? String == "RATE_LIMITED")
            #expect(refused.headers["retry-after"] == "1")
            #expect(refused.headers["connection"] == nil)
        }
    }

    @Test func `after the time that a 429 names there is an answer again`() async throws {
        try await withLimit(5) { server in
            let probe = try server.probe()
            try await eventually(within: .seconds(10), "429") {
                try await probe.request("/api/sessions", headers: Self.key)
                return try await probe.response().status == 429
            }
            try await eventually(within: .seconds(5), "200") {
                try await probe.request("/api/sessions", headers: Self.key)
                return try await probe.response().status == 200
            }
        }
    }

    @Test func `where no key is asked for, this machine is not limited`() async throws {
        try await withServer({ $0.rates = RequestRates(perSecond: 1) }) { server in
            let probe = try server.probe()
            for _ in 0..<200 {
                try await probe.request("/health")
                #expect(try await probe.response().status == 200)
            }
        }
    }

    @Test func `a command above the limit is not carried out and its body is no request`() async throws {
        try await withLimit(1) { server in
            let probe = try server.probe()
            for _ in 0..<8 { try await probe.request("/api/health", headers: Self.key) }
            let hidden = "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"
            try await probe.request(
                "/api/stream-tickets", method: "POST",
                headers: Self.key.merging(["Content-Length": "\(hidden.utf8.count)"]) { $1 })
            try await probe.send(hidden)
            var statuses: [Int] = []
            for _ in 0..<9 { statuses.append(try await probe.response().status) }

            #expect(statuses.last == 429)
            #expect(probe.unread.isEmpty)
        }
    }

    @Test func `who waits to send a body, or sends a long one, is told at once`() async throws {
        try await withLimit(1) { server in
            for extra in [["Expect": "100-continue", "Content-Length": "5"], ["Content-Length": "100000"]] {
                let probe = try server.probe()
                for _ in 0..<4 { try await probe.request("/api/sessions", headers: Self.key) }
                try await probe.request(
                    "/api/sessions", method: "POST", headers: Self.key.merging(extra) { $1 })
                for _ in 0..<4 { _ = try await probe.response() }
                #expect(try await probe.response().status == 429)
                try await probe.waitForClose()
            }
        }
    }

    @Test func `metrics count what was too much`() async throws {
        try await withLimit(2) { server in
            try await eventually(within: .seconds(10), "429") {
                try await server.get("/api/sessions", headers: Self.key).status == 429
            }
            try await eventually(within: .seconds(10), "the count") {
                let text = try await server.get("/metrics", headers: Self.key).text
                let count = text.split(separator: "\n").first {
                    $0.hasPrefix(#"ralph_mobile_limited_requests_total{limit="peer"}"#)
                }
                return count.map { !$0.hasSuffix(" 0") } ?? false
            }
        }
    }

    @Test(arguments: [-1, 100_001])
    func `a rate limit that is none ends the start`(_ rate: Int) {
        var flags = ServerConfiguration.Flags()
        flags.rateLimit = rate

        #expect(throws: ConfigurationProblem.self) { try ServerConfiguration(flags, environment: [:]) }
    }

    @Test func `a rate limit is for addresses, and half of it for devices`() throws {
        var flags = ServerConfiguration.Flags()
        flags.rateLimit = 50
        let rates = try ServerConfiguration(flags, environment: [:]).rates

        #expect(rates.peer == RequestRates.Rate(perSecond: 50, burst: 100))
        #expect(rates.device == RequestRates.Rate(perSecond: 25, burst: 50))
        #expect(rates.commands == RequestRates().commands)
    }
}
