import RalphWire
import Testing

@testable import RalphServer

struct PairingTriesTests {
    private let tries = PairingTries()

    @Test func `the sixth try of a peer is refused unseen and others go on`() {
        for _ in 1...5 { expectFailure(.invalidTicket, "10.0.0.1", at: 0) }

        expectFailure(.tooManyTries(retryAfter: 170), "10.0.0.1", at: 10_000, found: 1)
        #expect((try? tries.attempt(by: "10.0.0.2", isLocal: false, at: 10_000) { 1 }) == 1)
    }

    @Test func `what a proxy of this machine passes on keeps nobody out who is on it`() throws {
        for _ in 1...5 { expectFailure(.invalidTicket, "127.0.0.1", at: 0) }

        expectFailure(.tooManyTries(retryAfter: 180), "127.0.0.1", at: 0, found: 1)
        #expect(try tries.attempt(by: "127.0.0.1", isLocal: true, at: 0) { 1 } == 1)
    }

    @Test func `a try counts for three minutes`() {
        for second in 0..<5 { expectFailure(.invalidTicket, "10.0.0.1", at: Int64(second) * 1000) }

        expectFailure(.tooManyTries(retryAfter: 1), "10.0.0.1", at: 179_999, found: 1)
        #expect((try? tries.attempt(by: "10.0.0.1", isLocal: false, at: 180_000) { 1 }) == 1)
        expectFailure(.invalidTicket, "10.0.0.1", at: 180_000)
        expectFailure(.tooManyTries(retryAfter: 1), "10.0.0.1", at: 180_001)
    }

    @Test func `a network of IPv6 is one peer`() {
        for index in 1...5 { expectFailure(.invalidTicket, "2001:db8:0:1::\(index)", at: 0) }

        expectFailure(.tooManyTries(retryAfter: 180), "2001:db8:0:1:ffff::9", at: 0)
        expectFailure(.invalidTicket, "2001:db8:0:2::1", at: 0)
    }

    @Test func `a wrong ticket of a peer that cannot be counted is refused, a right one is not`() {
        for index in 0..<PairingTries.maximumPeers {
            expectFailure(.invalidTicket, "10.0.\(index / 256).\(index % 256)", at: 0)
        }

        expectFailure(.tooManyTries(retryAfter: 179), "192.168.0.1", at: 1000)
        #expect((try? tries.attempt(by: "192.168.0.1", isLocal: false, at: 1000) { 1 }) == 1)
        expectFailure(.invalidTicket, "10.0.0.0", at: 1000)
        expectFailure(.invalidTicket, "192.168.0.1", at: 180_000)
    }

    private func expectFailure(_ problem: Problem, _ peer: String, at now: Int64, found: Int? = nil) {
        #expect(throws: problem) { try tries.attempt(by: peer, isLocal: false, at: now) { found } }
    }
}
