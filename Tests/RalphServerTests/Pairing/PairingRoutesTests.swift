import Foundation
import RalphTestSupport
import Testing

@testable import RalphServer

@Suite(.timeLimit(.minutes(1)))
struct PairingRoutesTests {
    private static let key = ["X-Api-Key": "0123456789abcdef"]
    private static let elsewhere = "X-Forwarded-For"

    /// A server whose clients are whoever they say they are, so that one machine can play many.
    private func withPairingServer(
        _ body: @Sendable @escaping (RunningServer) async throws -> Void
    ) async throws {
        try await withServer(
            {
                $0.apiKey = Self.key["X-Api-Key"]
                $0.trustedProxies = ["127.0.0.1"]
            }, body)
    }

    @Test func `a ticket buys a token once and the token opens what the ticket said`() async throws {
        try await withPairingServer { server in
            let ticket = try await server.ticket(#"{"scope":"watch"}"#, Self.key)
            let first = try await server.redeem(ticket)
            let second = try await server.redeem(ticket)
            let token = try first.object()["token"] as? String ?? ""

            #expect(first.status == 201)
            #expect(second.status == 401)
            #expect(try second.object()["error"] as? String == "invalid_ticket")
            try await expectStatus(200, server.get("/api/sessions", headers: ["X-Api-Key": token]))
            let own = try await server.get("/api/device", headers: ["X-Api-Key": token]).text
            #expect(own.contains("Phone"))
        }
    }

    @Test func `a ticket in its typed form is as good`() async throws {
        try await withPairingServer { server in
            let invitation = try await server.post("/api/pairing/tickets", headers: Self.key).object()
            let typed = try #require(invitation["typed"] as? String)

            try await expectStatus(201, server.redeem(typed.lowercased()))
        }
    }

    @Test func `an invitation says everything that a device needs`() async throws {
        try await withPairingServer { server in
            let response = try await server.post(
                "/api/pairing/tickets", #"{"name":"Kitchen"}"#, headers: Self.key)
            let invitation = try response.object()
            let ticket = invitation["ticket"] as? String ?? ""

            #expect(response.status == 201)
            #expect(response.headers["cache-control"] == "no-store")
            #expect(invitation["scope"] as? String == "steer")
            #expect(invitation["name"] as? String == "Kitchen")
            #expect(invitation["local_only"] as? Bool == true)
            #expect(invitation["hosts"] as? [String] == ["127.0.0.1:\(server.port)"])
            #expect(
                invitation["link"] as? String
                    == "ralphmobile://pair?v=1&h=127.0.0.1:\(server.port)&t=\(ticket)")
        }
    }

    @Test func `five wrong tries and the peer must wait while others go on`() async throws {
        try await withPairingServer { server in
            let ticket = try await server.ticket("{}", Self.key)
            let bad = [Self.elsewhere: "10.0.0.1"]
            for _ in 1...5 {
                try await expectStatus(401, server.redeem("7ZZZZZZZZZZZZZZZZZZZZZZZZZ", bad))
            }
            let sixth = try await server.redeem("7ZZZZZZZZZZZZZZZZZZZZZZZZZ", bad)
            let right = try await server.redeem(ticket, bad)
            let other = try await server.redeem(ticket, [Self.elsewhere: "10.0.0.2"])

            #expect(sixth.status == 429 && right.status == 429)
            #expect((1...180).contains(Int(sixth.headers["retry-after"] ?? "") ?? 0))
            #expect(other.status == 201)
        }
    }

    @Test func `wrong tickets that a tunnel passes on keep a right one in that is redeemed here`()
        async throws
    {
        try await withServer({ $0.apiKey = Self.key["X-Api-Key"] }) { server in
            let ticket = try await server.ticket("{}", Self.key)
            let tunnel = [Self.elsewhere: "10.0.0.1"]
            for _ in 1...5 {
                try await expectStatus(401, server.redeem("7ZZZZZZZZZZZZZZZZZZZZZZZZZ", tunnel))
            }

            try await expectStatus(429, server.redeem(ticket, tunnel))
            try await expectStatus(201, server.redeem(ticket))
        }
    }

    @Test func `what a device says of its own scope is passed over`() async throws {
        try await withPairingServer { server in
            let ticket = try await server.ticket(#"{"scope":"answer"}"#, Self.key)
            let body = #"{"ticket":"\#(ticket)","name":"Phone","scope":"start","scopes":["start"]}"#
            let paired = try await server.post("/api/pairing/redeem", body).object()
            let token = ["X-Api-Key": paired["token"] as? String ?? ""]

            #expect((paired["device"] as? [String: Any])?["scope"] as? String == "answer")
            let steer = try await server.post("/api/sessions/0123456789abcdef/steer", "{}", headers: token)
            #expect(steer.status == 403)
            #expect(try steer.object()["needed_scope"] as? String == "steer")
            try await expectStatus(403, server.get("/api/devices", headers: token))
        }
    }

    @Test func `a device that may steer can neither stop nor pair nor start`() async throws {
        try await withPairingServer { server in
            let token = try await server.token(#"{"scope":"steer"}"#, Self.key)

            for path in ["/api/sessions/0123456789abcdef/stop", "/api/sessions", "/api/pairing/tickets"] {
                try await expectStatus(403, server.post(path, "{}", headers: token))
            }
            try await expectStatus(404, server.post("/api/sessions/0123456789abcdef/pause", headers: token))
        }
    }

    @Test func `nobody without the key can make a ticket on a server that has one`() async throws {
        try await withPairingServer { server in
            try await expectStatus(401, server.post("/api/pairing/tickets", "{}"))
            try await expectStatus(
                401, server.post("/api/pairing/tickets", "{}", headers: [Self.elsewhere: "10.0.0.1"]))
        }
    }

    @Test(arguments: [
        #"{"name":"Phone"}"#, #"{"ticket":5,"name":"Phone"}"#,
        #"{"ticket":"0123456789ABCDEFGHJKMNPQRS","name":5}"#,
        #"{"ticket":"0123456789ABCDEFGHJKMNPQRS","name":"a\u001b[2J"}"#, "[]", "",
    ])
    func `a request that is none is no try`(_ body: String) async throws {
        try await withPairingServer { server in
            for _ in 1...6 {
                try await expectStatus(400, server.post("/api/pairing/redeem", body))
            }
        }
    }

    @Test func `a ticket is not used up by a request without a name`() async throws {
        try await withPairingServer { server in
            let ticket = try await server.ticket("{}", Self.key)

            try await expectStatus(400, server.post("/api/pairing/redeem", #"{"ticket":"\#(ticket)"}"#))
            try await expectStatus(201, server.redeem(ticket))
        }
    }

    @Test func `an answer with a token is not kept for a repetition`() async throws {
        try await withPairingServer { server in
            let ticket = try await server.ticket("{}", Self.key)
            let once = ["Idempotency-Key": "same"]
            let first = try await server.redeem(ticket, once)
            let second = try await server.redeem(ticket, once)
            let doubled = try await server.post(
                "//api/pairing/redeem", #"{"ticket":"\#(ticket)","name":"Phone"}"#, headers: once)

            expectStatus(201, first)
            expectStatus(401, second)
            expectStatus(401, doubled)
        }
    }

    @Test func `a revoked device's stream ends within a second and its token is worth nothing`() async throws
    {
        try await withPairingServer { server in
            let paired = try await server.redeem(server.ticket("{}", Self.key)).object()
            let token = ["X-Api-Key": paired["token"] as? String ?? ""]
            let id = (paired["device"] as? [String: Any])?["id"] as? String ?? ""
            let stream = try await server.stream("/api/events", headers: token)
            let revoked = try await server.send("DELETE", "/api/devices/\(id)", headers: Self.key)

            #expect(revoked.status == 200)
            try await stream.waitForClose(within: .seconds(1))
            try await expectStatus(401, server.get("/api/sessions", headers: token))
        }
    }
}

extension RunningServer {
    /// A ticket, made with `headers`.
    func ticket(_ body: String, _ headers: [String: String]) async throws -> String {
        let response = try await post("/api/pairing/tickets", body, headers: headers)
        guard response.status == 201 else { throw Unexpected(status: response.status) }
        return try response.object()["ticket"] as? String ?? ""
    }

    /// Redeems a ticket for a device called Phone.
    func redeem(_ ticket: String, _ headers: [String: String] = [:]) async throws -> HTTPProbe.Response {
        try await post("/api/pairing/redeem", #"{"ticket":"\#(ticket)","name":"Phone"}"#, headers: headers)
    }

    /// The header of a device that is paired for this.
    func token(_ body: String, _ headers: [String: String]) async throws -> [String: String] {
        let paired = try await redeem(ticket(body, headers)).object()
        return ["X-Api-Key": paired["token"] as? String ?? ""]
    }
}

/// Whether a response has a status; a function, because a macro that awaits does not compile deep inside closures.
func expectStatus(
    _ status: Int, _ response: HTTPProbe.Response, sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(response.status == status, "\(response.text)", sourceLocation: sourceLocation)
}
