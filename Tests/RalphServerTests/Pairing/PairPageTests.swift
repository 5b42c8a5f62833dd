import RalphTestSupport
import RalphWire
import Testing

@testable import RalphServer

@Suite(.timeLimit(.minutes(1)))
struct PairPageTests {
    private static let key = ["X-Api-Key": "0123456789abcdef"]

    @Test(arguments: [
        ("/pair", "text/html; charset=utf-8"), ("/pair.svg", "image/svg+xml"), ("/pair.png", "image/png"),
    ])
    func `whoever has a ticket sees its code on this machine without a key`(
        _ form: (path: String, type: String)
    ) async throws {
        try await withServer({ $0.apiKey = Self.key["X-Api-Key"] }) { server in
            let ticket = try await server.ticket("{}", Self.key)
            let response = try await server.get("\(form.path)?t=\(ticket)")

            #expect(response.status == 200)
            #expect(response.headers["content-type"] == form.type)
            #expect(response.headers["cache-control"] == "no-store")
            #expect(response.headers["referrer-policy"] == "no-referrer")
            #expect(response.headers["content-security-policy"]?.hasPrefix("default-src 'none'; ") == true)
            #expect(!response.text.contains("<script"))
            try await expectStatus(201, server.redeem(ticket))
        }
    }

    @Test func `the page has the code and the typed ticket`() async throws {
        try await withServer { server in
            let invitation = try await server.post("/api/pairing/tickets").object()
            let ticket = invitation["ticket"] as? String ?? ""
            let typed = invitation["typed"] as? String ?? "?"
            let page = try await server.get("/pair?t=\(ticket)").text

            #expect(page.contains("/pair.svg?t=\(ticket)"))
            #expect(page.contains("<code>\(typed)</code>"))
            // For clients that do not read codes.
            #expect(page.contains("/api/pairing/redeem") && page.contains(#""ticket":"\#(typed)""#))
            #expect(page.contains("No other machine can reach this server"))
        }
    }

    @Test func `where the machine has no address the page does not advise to take them all`() throws {
        let ticket = try #require(PairingTicket("7ZZZZZZZZZZZZZZZZZZZZZZZZZ"))
        let grant = PairingTickets.Grant(scope: .steer, name: nil, opener: nil, expiresAt: 0)
        for host in ["0.0.0.0", "::"] {
            let place = ReachableHosts(bound: host, port: 80, machine: [])
            let invitation = try #require(
                PairingInvitation(ticket, grant, until: 0, at: place, fingerprint: nil))
            let page = PairPage(invitation: invitation, host: host).html.text

            #expect(page.contains("No other machine can reach this server"))
            #expect(page.contains("connect it to a network") && !page.contains("--bind-all"))
        }
    }

    @Test func `on an open server the page makes a ticket that counts`() async throws {
        try await withServer { server in
            let page = try await server.get("/pair").text
            let ticket = try #require(page.firstMatch(of: /pair\.svg\?t=([0-9A-Z]{26})"/)).1

            try await expectStatus(201, server.redeem(String(ticket)))
            try await expectStatus(401, server.get("/pair.svg?t=\(ticket)"))
            var made: [[String: Any]] = []
            // It is written by a thread of its own.
            try await eventually(within: .seconds(10), "the ticket in the audit log") {
                let log = try await server.get("/api/audit").json() as? [[String: Any]] ?? []
                made = log.filter { $0["action"] as? String == "pairing.ticket" }
                return !made.isEmpty
            }
            #expect(made.map { $0["who"] as? String } == ["open"])
        }
    }

    @Test(arguments: ["/pair", "/pair.svg", "/pair.png"])
    func `a server with a key shows no code to those who have neither key nor ticket`(_ path: String)
        async throws
    {
        try await withServer({ $0.apiKey = Self.key["X-Api-Key"] }) { server in
            try await expectStatus(401, server.get(path))
            try await expectStatus(401, server.get(path + "?t=7ZZZZZZZZZZZZZZZZZZZZZZZZZ"))
            try await expectStatus(200, server.get(path, headers: Self.key))
        }
    }

    @Test func `a request that somebody passed on sees no code`() async throws {
        try await withServer({ $0.apiKey = Self.key["X-Api-Key"] }) { server in
            let ticket = try await server.ticket("{}", Self.key)
            let headers = ["X-Forwarded-For": "10.0.0.1", "X-Api-Key": "0123456789abcdef"]

            for path in ["/pair", "/pair?t=\(ticket)", "/pair.png?t=\(ticket)"] {
                try await expectStatus(403, server.get(path, headers: headers))
            }
        }
    }

    @Test func `a page of another site can neither embed a code nor make a ticket`() async throws {
        try await withServer { server in
            let embedded = [
                "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image",
            ]
            let followed = [
                "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document",
            ]
            let ticket = try await server.ticket("{}", [:])

            try await expectStatus(403, server.get("/pair.png?t=\(ticket)", headers: embedded))
            try await expectStatus(403, server.get("/pair", headers: followed))
        }
    }

    @Test func `an origin of another site is enough for a page to make no ticket`() async throws {
        try await withServer { server in
            for origin in [
                "https://evil.example", "null", "http://localhost:1", "https://a, http://localhost",
            ] {
                for path in ["/pair", "/pair.svg", "/pair.png"] {
                    try await expectStatus(403, server.get(path, headers: ["Origin": origin]))
                }
            }
            try await expectStatus(200, server.get("/pair", headers: ["Origin": "http://localhost"]))
        }
    }

    @Test func `guessing at the page counts as trying`() async throws {
        try await withServer({ $0.apiKey = Self.key["X-Api-Key"] }) { server in
            for _ in 1...5 {
                try await expectStatus(401, server.get("/pair?t=7ZZZZZZZZZZZZZZZZZZZZZZZZZ"))
            }

            try await expectStatus(429, server.get("/pair?t=7ZZZZZZZZZZZZZZZZZZZZZZZZZ"))
        }
    }

    @Test(arguments: [
        ["Sec-Fetch-Site": "cross-site"], ["Sec-Fetch-Site": "same-site"], ["Origin": "https://a.example"],
    ])
    func `links to made-up tickets on a page of another site are no tries of who sits here`(
        _ site: [String: String]
    ) async throws {
        try await withServer({ $0.apiKey = Self.key["X-Api-Key"] }) { server in
            let followed = ["Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"].merging(site) { $1 }
            let (page, wrong) = ("/pair?t=", "7ZZZZZZZZZZZZZZZZZZZZZZZZZ")
            let ticket = try await server.ticket("{}", Self.key)
            // A link may come from elsewhere, as out of a terminal in a browser.
            try await expectStatus(200, server.get(page + ticket, headers: followed))
            for _ in 1...5 { try await expectStatus(401, server.get(page + wrong, headers: followed)) }
            try await expectStatus(429, server.get(page + wrong, headers: followed))

            try await expectStatus(200, server.get(page + ticket))
            try await expectStatus(401, server.get(page + wrong))
            // Nor where the browser tells nothing of such a page.
            for _ in 1...4 { try await expectStatus(401, server.get(page + wrong)) }
            try await expectStatus(429, server.get(page + wrong))
            try await expectStatus(200, server.get(page + ticket))
        }
    }

    @Test func `the seventeenth page within three minutes is told to wait`() async throws {
        try await withServer { server in
            for _ in 1...16 { try await expectStatus(200, server.get("/pair")) }
            let response = try await server.get("/pair")

            #expect(response.status == 429)
            #expect(response.headers["retry-after"] != nil)
        }
    }
}
