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

    @Test func `the name that was used least lately makes way for another`() {
        var clock = NameClock()
        for name in 0..<UInt64(NameClock.maximumNames) { _ = clock.place(500 + Int64(name), name: name) }
        _ = clock.place(700, name: 99)

        #expect(clock.place(501, name: 1) == 502)
        #expect(clock.place(500, name: 0) == 500)
    }

    @Test func `a clock that is set back within the limit gives no time twice`() {
        var clock = NameClock()

        #expect(
            [500, 100, 500, 100, 500, 600].map { clock.place($0, name: 1) } == [500, 100, 501, 101, 502, 600])
    }

    @Test func `rows that come in no order keep their times unless they are equal`() {
        var clock = NameClock()

        #expect([900, 300, 600, 300, 900].map { clock.place($0, name: 1) } == [900, 300, 600, 301, 901])
    }

    @Test func `a stretch that grows into another goes on behind it`() {
        var clock = NameClock()

        #expect([501, 500, 500, 501, 500].map { clock.place($0, name: 1) } == [501, 500, 502, 503, 504])
    }

    @Test func `the stretch that was given of least lately makes way for another`() {
        var clock = NameClock()
        for time in [100, 200, 300, 400, 100, 500] as [Int64] { _ = clock.place(time, name: 1) }

        #expect([101, 200].map { clock.place($0, name: 1) } == [102, 200])
    }

    @Test func `a time is moved no further than the limit`() {
        var clock = NameClock()
        let given = (0...NameClock.maximumDrift + 1).map { _ in clock.place(0, name: 1) }

        #expect(given.dropLast() == Array(0...NameClock.maximumDrift)[...] && given.last == 0)
    }
}
