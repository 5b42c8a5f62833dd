import Testing

@testable import RalphServer

struct FadingTableTests {
    private let rate = RequestRates.Rate(perSecond: 10, burst: 2)

    @Test func `a flood of new addresses gets nobody out who is being limited`() {
        var table = FadingTable<Int, TokenBucket>(maximumEntries: 100)
        for _ in 0..<5 { _ = table.change(-1, at: 0) { $0.take(rate, at: 0) } }
        let later: Int64 = 190_000_000  // the limited one has had one token back
        for key in 0..<1000 { _ = table.change(key, at: later) { $0.take(rate, at: later) } }

        #expect(table.holds(-1))
        #expect(table.count == 100)
    }

    @Test func `what has faded makes room`() {
        var table = FadingTable<Int, TokenBucket>(maximumEntries: 10)
        for key in 0..<10 { _ = table.change(key, at: 0) { $0.take(rate, at: 0) } }
        let later: Int64 = 10_000_000_000
        _ = table.change(77, at: later) { $0.take(rate, at: later) }

        #expect(table.holds(77))
        #expect(table.count == 1)
    }

    @Test func `newcomers share one value while there is no room`() {
        var table = FadingTable<Int, TokenBucket>(maximumEntries: 2)
        for key in 0..<2 { _ = table.change(key, at: 0) { $0.take(rate, at: 0) } }
        let granted = (10..<15).map { key in table.change(key, at: 0) { $0.take(rate, at: 0) } == nil }

        #expect(granted == [true, true, false, false, false])
        #expect(table.count == 2)
    }
}
