import Testing

@testable import RalphSessions

struct NameClockTests {
    @Test func `names that take turns within one millisecond are each kept apart`() {
        var clock = NameClock()
        let names = (0..<UInt64(NameClock.maximumNames)).map { $0 << 32 }
        for round in 0..<Int64(3) {
            #expect(names.map { clock.place(500, name: $0) } == names.map { _ in 500 + round })
        }
    }

    @Test func `the name with the oldest time makes way for another`() {
        var clock = NameClock()
        for name in 0..<UInt64(NameClock.maximumNames) { _ = clock.place(500 + Int64(name), name: name) }
        _ = clock.place(700, name: 99)

        #expect(clock.place(501, name: 1) == 502)
        #expect(clock.place(500, name: 0) == 500)
    }

    @Test func `a clock that is set back within the limit gives no time twice`() {
        var clock = NameClock()

        #expect([500, 100, 500, 600].map { clock.place($0, name: 1) } == [500, 501, 502, 600])
        #expect(clock.place(600 - NameClock.maximumDrift, name: 1) == 600 - NameClock.maximumDrift)
    }

    @Test func `a time is moved no further than the limit`() {
        var clock = NameClock()
        let given = (0...NameClock.maximumDrift + 1).map { _ in clock.place(0, name: 1) }

        #expect(given.dropLast() == Array(0...NameClock.maximumDrift)[...] && given.last == 0)
    }
}
