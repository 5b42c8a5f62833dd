import Testing

@testable import RalphServer

struct FanOutPaceTests {
    @Test func `the first fan-out begins at once`() {
        #expect(FanOutPace().nextStart(at: 1) == nil)
    }

    @Test func `the rest is as long as the fan-out was`() {
        var pace = FanOutPace()
        pace.noteFanOut(from: 1_000_000, to: 1_300_000)

        #expect(pace.nextStart(at: 1_300_000) == 1_600_000)
        #expect(pace.nextStart(at: 1_599_999) == 1_600_000)
        #expect(pace.nextStart(at: 1_600_000) == nil)
    }

    @Test func `nobody waits longer than eight milliseconds`() {
        var pace = FanOutPace()
        pace.noteFanOut(from: 0, to: 50_000_000)

        #expect(pace.nextStart(at: 50_000_000) == 58_000_000)
    }
}
