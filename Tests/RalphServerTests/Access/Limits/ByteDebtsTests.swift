import RalphWire
import Testing

@testable import RalphServer

/// What counts of what is kept for one caller.
struct ByteDebtsTests {
    private let stranger = Caller(peer: "203.0.113.9", access: .open, scope: nil)
    private let network = PeerNetwork("203.0.113.9")

    @Test func `of answers that share a connection small ones count too`() throws {
        let debts = ByteDebts(.answers, counters: LimitCounters())
        var kept: [ByteDebts.Debt] = []
        while kept.count * 2048 <= ByteDebts.limit {
            kept.append(try #require(try debts.owe(2048, stranger, at: network, isOneOfMany: true)))
        }
        #expect(throws: Problem.self) { try debts.owe(2048, stranger, at: network, isOneOfMany: true) }
        #expect(try debts.owe(2048, stranger, at: PeerNetwork("203.0.113.10"), isOneOfMany: true) != nil)

        kept.forEach(debts.pay)
        #expect(try debts.owe(2048, stranger, at: network, isOneOfMany: true) != nil)
    }

    @Test func `what must be kept counts however much there is, and is known before there is more`() throws {
        let debts = ByteDebts(.answers, counters: LimitCounters())
        let kept = try (1...2).map { _ in
            try #require(
                try debts.owe(
                    ByteDebts.limit, stranger, at: network, isOneOfMany: false, isRefusable: false))
        }
        #expect(debts.refusal(of: stranger, at: network) == .untakenAnswers)
        #expect(debts.refusal(of: stranger, at: PeerNetwork("203.0.113.10")) == nil)
        #expect(throws: Problem.untakenAnswers) {
            try debts.owe(ByteDebts.smallest, stranger, at: network, isOneOfMany: false)
        }

        debts.pay(kept[0])
        #expect(debts.refusal(of: stranger, at: network) == nil)
    }

    @Test(arguments: [(1023, true), (65535, false)])
    func `what is small for its connection counts nowhere`(_ bytes: Int, _ isOneOfMany: Bool) throws {
        let debts = ByteDebts(.bodies, counters: LimitCounters())
        #expect(try debts.owe(bytes, stranger, at: network, isOneOfMany: isOneOfMany) == nil)
        #expect(try debts.owe(bytes + 1, stranger, at: network, isOneOfMany: isOneOfMany)?.bytes == bytes + 1)
    }
}
