import RalphTestSupport
import RalphWire
import Testing

@testable import RalphServer

/// Tickets for streams that can send no headers.
@Suite(.timeLimit(.minutes(1)))
struct StreamTicketTests {
    private let caller = Caller(peer: "192.0.2.1", access: .key)

    @Test func `a ticket counts once and to watch only`() throws {
        let tickets = StreamTickets()
        let ticket = try tickets.mint(for: caller, at: 1000)
        let used = try #require(tickets.use(ticket, at: 1001))

        #expect(ticket.utf8.count == 64)
        #expect(used.scope == .watch)
        #expect(used.access == .key)
        #expect(tickets.use(ticket, at: 1001) == nil)
    }

    @Test func `a ticket ends with its time`() throws {
        let tickets = StreamTickets()
        let late = try tickets.mint(for: caller, at: 1000)
        let inTime = try tickets.mint(for: caller, at: 1000)

        #expect(tickets.use(late, at: 31_000) == nil)
        #expect(tickets.use(late, at: 1001) == nil)
        #expect(tickets.use(inTime, at: 30_999) != nil)
    }

    @Test func `there are so many and no more until their time is over`() throws {
        let tickets = StreamTickets()
        let other = Caller(peer: "192.0.2.1", access: .local)
        for _ in 0..<StreamTickets.maximumPerCaller { _ = try tickets.mint(for: caller, at: 1000) }

        #expect(throws: Problem.tooMany("stream tickets")) { _ = try tickets.mint(for: caller, at: 30_999) }
        #expect(throws: Never.self) { _ = try tickets.mint(for: other, at: 30_999) }
        #expect(throws: Never.self) { _ = try tickets.mint(for: caller, at: 31_000) }
    }

    @Test func `a ticket is said to end half a minute from now by the clock on the wall`() async throws {
        try await withDevices { server in
            let before = WallClock.milliseconds()
            let response = try await server.post("/api/stream-tickets", headers: PairedDevice.owner)
            let after = WallClock.milliseconds()
            let text = try #require(try response.object()["expires_at"] as? String)
            let expiresAt = try #require(Timestamp.parse(text.utf8))

            #expect((before + 30_000...after + 30_000).contains(expiresAt))
        }
    }

    @Test func `a stream opens once with a ticket and without a key`() async throws {
        try await withDevices { server in
            let ticket = try await Self.ticket(server, PairedDevice.owner)
            let path = "/api/events?follow=false&ticket=" + ticket

            try await server.expect(200, path)
            try await server.expect(401, path)
            try await server.expect(401, path, headers: PairedDevice.owner)
        }
    }

    @Test func `a ticket that needed no key opens nothing elsewhere`() async throws {
        try await withServer { server in
            for (host, status) in [("mac.local", 401), ("localhost", 200)] {
                let ticket = try await Self.ticket(server, [:])
                let probe = try server.probe()
                try await probe.send(
                    "GET /api/events?follow=false&ticket=\(ticket) HTTP/1.1\r\nHost: \(host)\r\n\r\n")
                let answer = try await probe.response().status
                #expect(answer == status)
            }
        }
    }

    @Test(arguments: [
        ("GET", "/api/sessions"), ("POST", "/api/sessions"), ("POST", "/api/stream-tickets"),
        ("GET", "/api/devices"), ("DELETE", "/api/device"), ("POST", "/api/events"), ("GET", "/metrics"),
    ])
    func `a ticket opens nothing else`(_ method: String, _ path: String) async throws {
        try await withDevices { server in
            let ticket = try await Self.ticket(server, PairedDevice.owner)
            let response = try await server.send(method, path + "?ticket=" + ticket, "{}")

            #expect(response.status == 401)
            try await server.expect(401, "/api/sessions", headers: ["X-Api-Key": ticket])
        }
    }

    @Test(arguments: ["", "&before_seq=9", "&limit=3"])
    func `a page of history takes no ticket and leaves it to a stream`(_ query: String) async throws {
        try await withDevices { server in
            let ticket = try await Self.ticket(server, PairedDevice.owner)
            let path = "/api/sessions/0123456789abcdef/events?ticket=" + ticket + query
            let page = ["Accept": "application/json"]

            try await server.expect(401, path, headers: page)
            try await server.expect(404, path, headers: page.merging(PairedDevice.owner) { $1 })
            try await server.expect(200, "/api/events?follow=false&ticket=" + ticket, headers: page)
        }
    }

    @Test func `no more than 1024 tickets are open at once`() throws {
        let tickets = StreamTickets()
        func mint(_ device: Int, at now: Int64) throws {
            let id = try #require(DeviceID("0123456789\(10 + device)"))
            let caller = Caller(peer: "127.0.0.1", access: .device(id), scope: .steer)
            _ = try tickets.mint(for: caller, at: now)
        }
        for number in 0..<1024 { try mint(number / 64, at: 0) }
        #expect(throws: Problem.tooMany("stream tickets")) { try mint(16, at: 29_999) }
        try mint(16, at: 30_000)
    }

    @Test func `a device's ticket and the stream that it opened end with the device`() async throws {
        try await withDevices { server in
            let unused = try await Self.ticket(server, PairedDevice.steer.headers)
            let used = try await Self.ticket(server, PairedDevice.steer.headers)
            let stream = try await server.stream("/api/events?ticket=" + used)
            _ = try await server.send(
                "DELETE", "/api/devices/\(PairedDevice.steer.id)", headers: PairedDevice.owner)

            try await stream.waitForClose(within: .seconds(1))
            try await server.expect(401, "/api/events?ticket=" + unused)
        }
    }

    @Test(arguments: ["", "0", "%00", "%zz", "' OR 1=1 --"])
    func `a guess opens nothing`(_ guess: String) async throws {
        try await withDevices { server in
            let text = guess.replacing(" ", with: "%20")
            try await server.expect(401, "/api/events?ticket=" + text)
        }
    }

    private static func ticket(_ server: RunningServer, _ headers: [String: String]) async throws -> String {
        let response = try await server.post("/api/stream-tickets", headers: headers)
        guard response.status == 201 else { throw Unexpected(status: response.status) }
        return try response.object()["ticket"] as? String ?? ""
    }
}
