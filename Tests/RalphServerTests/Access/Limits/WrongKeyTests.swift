import Foundation
import RalphTestSupport
import RalphWire
import Testing

@testable import RalphServer

/// Guessing keys, as an attacker does it and as a paired phone behind the same address meets it.
@Suite(.timeLimit(.minutes(1)))
struct WrongKeyTests {
    private static let key = "0123456789abcdef"

    private func withGuesses(
        _ count: Int, allowsQueryKey: Bool = false,
        _ body: @Sendable @escaping (RunningServer, [HTTPProbe]) async throws -> Void
    ) async throws {
        try await withServer({ ($0.apiKey, $0.allowsQueryKey) = (Self.key, allowsQueryKey) }) { server in
            var probes: [HTTPProbe] = []
            for number in 0..<count {
                probes.append(try await Self.guess(server))
                if number < 3 { #expect(try await probes[number].response().status == 401) }
            }
            try await body(server, probes)
        }
    }

    /// Sends a wrong key, and does not wait for the answer.
    private static func guess(_ server: RunningServer) async throws -> HTTPProbe {
        let probe = try server.probe()
        try await probe.request("/api/sessions", headers: ["X-Api-Key": "wrong"])
        return probe
    }

    /// Guesses eight times and asks; again, until it was asked before the first of them was answered: that needs a
    /// machine that is quick for once.
    private func whileEightAreHeld(
        _ server: RunningServer, _ ask: (_ probes: [HTTPProbe]) async throws -> Void
    ) async throws {
        try await eventually(within: .seconds(30), "a round of less than a second") {
            let start = ContinuousClock.now
            var probes: [HTTPProbe] = []
            for _ in 0..<8 { probes.append(try await Self.guess(server)) }
            // The last of them has been taken in when one more is refused.
            repeat {
                guard ContinuousClock.now - start < .milliseconds(900) else { return false }
            } while try await server.get("/api/sessions", headers: ["X-Api-Key": Self.key]).status != 429
            try await ask(probes)
            return ContinuousClock.now - start < .milliseconds(900)
        }
    }

    @Test func `the fourth wrong key of a minute is answered after a second`() async throws {
        try await withGuesses(3) { server, _ in
            let start = ContinuousClock.now
            let answer = try await server.get("/api/sessions", headers: ["X-Api-Key": "wrong"])

            #expect(answer.status == 401)
            #expect(ContinuousClock.now - start >= .milliseconds(900))
        }
    }

    /// - Parameter body: what follows the head, and no request; `nil`: the client hangs up.
    @Test(arguments: [nil, "zz\r\n"])
    func `a wrong key that is held back is recorded, whatever its client does`(body: String?) async throws {
        try await withGuesses(3) { server, _ in
            let probe = try server.probe()
            var head = "GET /api/search?q=a HTTP/1.1\r\nHost: localhost\r\nX-Api-Key: wrong\r\n"
            if body != nil { head += "Transfer-Encoding: chunked\r\n" }
            try await probe.send(head + "\r\n" + (body ?? ""))
            if body == nil { probe.reset() }
            try await eventually(within: .seconds(10), "the refusal in the audit log") {
                let log = try await server.get("/api/audit", headers: ["X-Api-Key": Self.key]).json()
                return (log as? [[String: Any]] ?? []).contains {
                    $0["action"] as? String == "GET /api/search" && $0["status"] as? Int == 401
                }
            }
        }
    }

    @Test func `of many at once eight are held back, and further ones get 429 unseen, right or not`()
        async throws
    {
        try await withGuesses(11) { server, probes in
            for probe in probes.dropFirst(3) { #expect(try await probe.response().status == 401) }
            var refused: HTTPProbe.Response?
            try await whileEightAreHeld(server) { _ in
                refused = try await server.get("/api/sessions", headers: ["X-Api-Key": "wrong"])
            }
            #expect(refused?.status == 429)
            #expect(refused?.headers["retry-after"] == "1")

            try await eventually(within: .seconds(10), "an answer to the right key") {
                try await server.get("/api/sessions", headers: ["X-Api-Key": Self.key]).status == 200
            }
        }
    }

    @Test func `clients that go away do not make room for more guesses`() async throws {
        try await withGuesses(3) { server, _ in
            var answer: HTTPProbe.Response?
            try await whileEightAreHeld(server) { probes in
                for probe in probes { probe.close() }
                answer = try await server.get("/api/sessions", headers: ["X-Api-Key": "wrong"])
            }
            #expect(answer?.status == 429)
            try await eventually(within: .seconds(5), "connections gone") {
                let health = try await server.get("/api/health", headers: ["X-Api-Key": Self.key])
                return health.status == 200
            }
        }
    }

    @Test func `whether the key in a preflight's address is right cannot be told from its answer`()
        async throws
    {
        try await withGuesses(3, allowsQueryKey: true) { server, _ in
            let headers = ["Origin": "http://localhost:5173", "Access-Control-Request-Method": "POST"]
            var statuses: [Int] = []
            try await whileEightAreHeld(server) { _ in
                statuses = []
                for key in ["wrong", Self.key] {
                    let probe = try server.probe()
                    try await probe.request(
                        "/api/sessions?api_key=" + key, method: "OPTIONS", headers: headers)
                    statuses.append(try await probe.response().status)
                }
            }
            #expect(statuses == [200, 200])
        }
    }

    @Test func `a paired phone and the tools of this user get in at once meanwhile`() async throws {
        try await withTemporaryDirectory { directory in
            let token = try Self.pair(in: directory)
            try await withServer(in: directory, { $0.apiKey = Self.key }) { server in
                let local = try await Self.localKey(in: directory)
                // A machine may be slow; to be held back is a second each time.
                try await eventually(within: .seconds(30), "answers at once") {
                    var probes: [HTTPProbe] = []
                    for _ in 0..<20 { probes.append(try await Self.guess(server)) }
                    let start = ContinuousClock.now
                    for secret in [token, local] {
                        let answer = try await server.get(
                            "/api/sessions", headers: ["Authorization": "Bearer \(secret)"])
                        #expect(answer.status == 200)
                    }
                    defer { withExtendedLifetime(probes) {} }
                    return ContinuousClock.now - start < .milliseconds(900)
                }
            }
        }
    }

    @Test func `a request without any key is told so at once, however often`() async throws {
        try await withServer({ $0.apiKey = Self.key }) { server in
            let start = ContinuousClock.now
            for _ in 0..<10 {
                let status = try await server.get("/api/sessions").status
                #expect(status == 401)
            }
            #expect(ContinuousClock.now - start < .seconds(3))
        }
    }

    @Test func `what follows a held answer on its connection is not carried out`() async throws {
        try await withGuesses(3) { server, _ in
            let probe = try server.probe()
            try await probe.request("/api/sessions", headers: ["X-Api-Key": "wrong"])
            try await probe.request("/health")

            #expect(try await probe.response().status == 401)
            try await probe.waitForClose()
            #expect(probe.unread.isEmpty)
        }
    }

    @Test func `a held answer comes to a client that has closed its sending half`() async throws {
        try await withGuesses(3) { server, _ in
            let probe = try server.probe()
            try await probe.request("/api/sessions", headers: ["X-Api-Key": "wrong"])
            probe.closeSending()

            #expect(try await probe.response().status == 401)
            try await probe.waitForClose()
        }
    }

    /// The key that tools of the same user find.
    private static func localKey(in directory: TemporaryDirectory) async throws -> String {
        var key: String?
        try await eventually(within: .seconds(5), "server.json") {
            let record = FileManager.default.contents(atPath: directory.path + "/.state/server.json")
            let object = try JSONSerialization.jsonObject(with: record ?? Data()) as? [String: Any]
            key = object?["key"] as? String
            return key != nil
        }
        return try #require(key)
    }

    /// Pairs a device before the server starts; gives its token.
    static func pair(in directory: TemporaryDirectory, scope: Scope = .answer) throws -> String {
        let state = try StateDirectory(path: directory.path + "/.state")
        let book = try DeviceBook(path: state.devices)
        return try book.register(name: "phone", scope: scope, invitedBy: nil, at: 0).token
    }
}
