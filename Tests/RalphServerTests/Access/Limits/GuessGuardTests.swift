import Testing

@testable import RalphServer

struct GuessGuardTests {
    private static let second: Int64 = 1_000_000_000
    private let network = PeerNetwork("192.0.2.1")

    @Test func `three wrong keys are answered at once, then eight late, then none`() {
        let guesses = GuessGuard(counters: LimitCounters(), isOff: false)
        let verdicts = (0..<12).map { _ in guesses.note(network, at: 0) }

        #expect(verdicts.prefix(3).allSatisfy { $0 == .atOnce })
        #expect(verdicts.dropFirst(3).prefix(8).allSatisfy { $0 == .held(.seconds(1)) })
        #expect(verdicts[11] == .refused)
        #expect(guesses.isExhausted(network, at: 0))
    }

    @Test func `a place is free again after the delay, not before`() {
        let guesses = GuessGuard(counters: LimitCounters(), isOff: false)
        for _ in 0..<11 { _ = guesses.note(network, at: 0) }

        #expect(guesses.isExhausted(network, at: Self.second - 1))
        #expect(!guesses.isExhausted(network, at: Self.second))
        #expect(guesses.note(network, at: Self.second) == .held(.seconds(1)))
    }

    @Test func `eight guesses a second are the most that one peer has`() {
        let guesses = GuessGuard(counters: LimitCounters(), isOff: false)
        var looks = 0
        for step in 0..<50_000 where guesses.note(network, at: Int64(step) * 1_000_000) != .refused {
            looks += 1
        }

        #expect(looks <= 3 + 8 * 51)
    }

    @Test func `after a minute the next three are answered at once again`() {
        let guesses = GuessGuard(counters: LimitCounters(), isOff: false)
        for _ in 0..<5 { _ = guesses.note(network, at: 0) }

        #expect(guesses.note(network, at: 59 * Self.second) == .held(.seconds(1)))
        #expect(guesses.note(network, at: 61 * Self.second) == .atOnce)
    }

    @Test func `256 are held back in all, and who has not guessed is still looked at`() {
        let guesses = GuessGuard(counters: LimitCounters(), isOff: false)
        var held = 0
        for peer in 0..<60 {
            for _ in 0..<11 where guesses.note(PeerNetwork("10.0.0.\(peer)"), at: 0) == .held(.seconds(1)) {
                held += 1
            }
        }

        #expect(held == 256)
        #expect(guesses.isExhausted(PeerNetwork("10.0.0.59"), at: 0))
        #expect(!guesses.isExhausted(network, at: 0))
        #expect(guesses.note(network, at: 0) == .atOnce)
    }

    @Test func `whoever there is no room to remember is still looked at`() {
        let guesses = GuessGuard(counters: LimitCounters(), isOff: false)
        for peer in 0..<(GuessGuard.maximumEntries + 20) {
            _ = guesses.note(PeerNetwork("10.0.\(peer / 256).\(peer % 256)"), at: 0)
        }

        #expect(guesses.note(network, at: 0) != .atOnce)
        #expect(!guesses.isExhausted(network, at: 0))
    }

    @Test func `those whom there is no room to remember have so many looks a second together`() {
        let guesses = GuessGuard(counters: LimitCounters(), isOff: false)
        for peer in 0..<GuessGuard.maximumEntries {
            _ = guesses.note(PeerNetwork("10.0.\(peer / 256).\(peer % 256)"), at: 0)
        }
        let looks = (0..<1000).count { !guesses.isExhausted(PeerNetwork("10.9.0.\($0 % 200)"), at: 0) }

        #expect(looks == GuessGuard.newcomers.burst)
        #expect(!guesses.isExhausted(PeerNetwork("local"), isLocal: true, at: 0))
        #expect(!guesses.isExhausted(network, at: Self.second))
        // All have faded.
        #expect((0..<1000).allSatisfy { _ in !guesses.isExhausted(network, at: 300 * Self.second) })
    }
}
