import RalphWire
import Testing

@testable import RalphServer

struct RequestLimiterTests {
    private let network = PeerNetwork("192.0.2.1")
    private let key = Caller(peer: "192.0.2.1", access: .key)

    private func device(_ digits: String) throws -> Caller {
        Caller(peer: "192.0.2.1", access: .device(try #require(DeviceID(digits))))
    }

    private func granted(
        _ count: Int, of limiter: RequestLimiter, _ caller: Caller, at network: PeerNetwork,
        isCommand: Bool = false
    ) -> Int {
        (0..<count).count { _ in
            limiter.refusal(of: caller, at: network, isCommand: isCommand, at: 0) == nil
        }
    }

    @Test func `a peer has 400 requests at once, then a 429 that says when to come again`() {
        let limiter = RequestLimiter(RequestRates(), counters: LimitCounters())
        #expect(granted(500, of: limiter, key, at: network) == 400)
        let problem = limiter.refusal(of: key, at: network, isCommand: false, at: 0)

        #expect(problem?.status == 429)
        #expect(problem?.error == "rate_limited")
        #expect(problem?.code == .rateLimited)
        #expect(problem?.retryAfter == 1)
        #expect(granted(1, of: limiter, key, at: PeerNetwork("192.0.2.2")) == 1)
    }

    @Test func `a device has 200 at once, wherever it is, and others of its network their own`() throws {
        let limiter = RequestLimiter(RequestRates(), counters: LimitCounters())
        let (one, other) = (try device("0123456789ab"), try device("0123456789ac"))

        #expect(granted(150, of: limiter, one, at: network) == 150)
        #expect(granted(150, of: limiter, one, at: PeerNetwork("192.0.2.9")) == 50)
        #expect(granted(150, of: limiter, other, at: network) == 150)
    }

    @Test func `40 commands at once are enough, and reading goes on`() throws {
        let limiter = RequestLimiter(RequestRates(), counters: LimitCounters())
        #expect(granted(60, of: limiter, key, at: network, isCommand: true) == 40)
        #expect(granted(60, of: limiter, try device("0123456789ab"), at: network, isCommand: true) == 40)
        #expect(granted(60, of: limiter, key, at: network) == 60)
    }

    @Test func `who uses this machine is not limited`() {
        let limiter = RequestLimiter(RequestRates(perSecond: 1), counters: LimitCounters())
        let loopback = PeerNetwork("127.0.0.1")
        let open = Caller(peer: "127.0.0.1", access: .open, isLocal: true)
        let local = Caller(peer: "127.0.0.1", access: .local, isLocal: true)

        #expect(granted(1000, of: limiter, open, at: loopback, isCommand: true) == 1000)
        #expect(granted(1000, of: limiter, local, at: loopback, isCommand: true) == 1000)
    }

    @Test func `a key on this machine is limited, and so is nobody in particular`() {
        let stranger = Caller(peer: "127.0.0.1", access: .open, scope: nil, isLocal: true)
        let local = Caller(peer: "127.0.0.1", access: .key, isLocal: true)
        for caller in [stranger, local] {
            let limiter = RequestLimiter(RequestRates(perSecond: 5), counters: LimitCounters())
            #expect(granted(50, of: limiter, caller, at: PeerNetwork("127.0.0.1")) == 10)
        }
    }

    @Test func `a flood without any right leaves others behind its address what they have`() throws {
        let limiter = RequestLimiter(RequestRates(), counters: LimitCounters())
        let stranger = Caller(peer: "192.0.2.1", access: .open, scope: nil)
        #expect(granted(1000, of: limiter, stranger, at: network) == 400)
        for number in 0..<10_000 {
            let other = PeerNetwork("10.0.\(number / 250).\(number % 250)")
            _ = limiter.refusal(of: stranger, at: other, isCommand: true, at: 0)
        }

        #expect(granted(400, of: limiter, key, at: network) == 400)
        #expect(granted(200, of: limiter, try device("0123456789ab"), at: network) == 200)
    }

    @Test func `a limit of 0 is none, but for commands`() {
        let limiter = RequestLimiter(RequestRates(perSecond: 0), counters: LimitCounters())
        #expect(granted(5000, of: limiter, key, at: network) == 5000)
        #expect(granted(50, of: limiter, key, at: network, isCommand: true) == 40)
    }
}
