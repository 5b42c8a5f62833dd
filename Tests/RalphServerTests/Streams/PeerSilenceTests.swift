import Testing

@testable import RalphServer

struct PeerSilenceTests {
    @Test func `a silence lasts as long as something waits and nothing is confirmed`() {
        var silence = PeerSilence()
        silence.note(100, second: 8)
        silence.note(100, second: 12)

        #expect(silence.length(at: 12) == 4)
        silence.note(100, second: 68)
        #expect(silence.length(at: 68) == 60)
    }

    @Test(arguments: [101, -1] as [Int64])
    func `what is confirmed ends it, and so does nothing that waits`(_ confirmed: Int64) {
        var silence = PeerSilence()
        silence.note(100, second: 8)
        silence.note(confirmed, second: 12)

        #expect(silence.length(at: 12) == 0)
        silence.note(100, second: 16)
        #expect(silence.length(at: 16) == 0)
    }

    @Test func `a quiet connection has no silence`() {
        var silence = PeerSilence()
        for second in Int64(0)...100 { silence.note(-1, second: second) }

        #expect(silence.length(at: 100) == 0)
    }
}
