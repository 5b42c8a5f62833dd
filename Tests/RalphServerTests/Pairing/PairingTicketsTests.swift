import RalphWire
import Testing

@testable import RalphServer

struct PairingTicketsTests {
    private let tickets = PairingTickets()

    @Test func `a ticket is taken once`() throws {
        let (ticket, grant) = try tickets.open(scope: .answer, name: nil, by: nil, at: 1000)

        #expect(tickets.grant(of: ticket, at: 2000) == grant)
        #expect(tickets.take(ticket, at: 2000) == grant)
        #expect(tickets.take(ticket, at: 2000) == nil)
        #expect(tickets.grant(of: ticket, at: 2000) == nil)
    }

    @Test func `a ticket counts for three minutes`() throws {
        let (first, grant) = try tickets.open(scope: .steer, name: nil, by: nil, at: 0)
        let (second, _) = try tickets.open(scope: .steer, name: nil, by: nil, at: 0)

        #expect(grant.expiresAt == 180_000)
        #expect(tickets.take(first, at: 179_999) != nil)
        #expect(tickets.grant(of: second, at: 180_000) == nil)
        #expect(tickets.take(second, at: 180_000) == nil)
    }

    @Test func `sixteen are open at once and the next must wait for the first to expire`() throws {
        for index in 0..<16 { _ = try tickets.open(scope: .watch, name: nil, by: nil, at: Int64(index)) }

        #expect(throws: Problem.tooManyTickets(retryAfter: 171)) {
            try tickets.open(scope: .watch, name: nil, by: nil, at: 9500)
        }
        _ = try tickets.open(scope: .watch, name: nil, by: nil, at: 180_000)
    }

    @Test func `a device's tickets end with it and make room`() throws {
        let (first, second) = try (#require(DeviceID("000000000001")), #require(DeviceID("000000000002")))
        for _ in 0..<15 { _ = try tickets.open(scope: .watch, name: nil, by: first, at: 0) }
        let (kept, grant) = try tickets.open(scope: .watch, name: nil, by: second, at: 0)
        tickets.end(of: first)

        #expect(tickets.take(kept, at: 1) == grant)
        for _ in 0..<16 { _ = try tickets.open(scope: .watch, name: nil, by: nil, at: 1) }
    }

    @Test func `a ticket that bought nothing counts again as long as it would have`() throws {
        let (ticket, grant) = try tickets.open(scope: .watch, name: nil, by: nil, at: 0)
        _ = tickets.take(ticket, at: 1)
        tickets.giveBack(ticket, grant)

        #expect(tickets.take(ticket, at: 2) == grant)
    }
}
