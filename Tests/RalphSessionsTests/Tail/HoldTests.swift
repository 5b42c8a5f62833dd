import Testing

@testable import RalphSessions

struct HoldTests {
    @Test func `a value is held from when it was first seen`() {
        var hold = Hold<Int>()
        #expect(hold.hold(1, for: 100, now: 1000, isSame: ==) == 1100)
        #expect(hold.hold(1, for: 100, now: 1050, isSame: ==) == 1100)
        #expect(hold.hold(1, for: 300, now: 1060, isSame: ==) == 1300)
        #expect(hold.value(heldFor: 100, now: 1099) == nil)
        #expect(hold.value(heldFor: 100, now: 1100) == 1)
    }

    @Test func `another value, and one that was let go, is held anew`() {
        var hold = Hold<Int>()
        #expect(hold.hold(1, for: 100, now: 1000, isSame: ==) == 1100)
        #expect(hold.hold(2, for: 100, now: 1050, isSame: ==) == 1150)
        hold.end()
        #expect(hold.value(heldFor: 0, now: 5000) == nil)
        #expect(hold.hold(2, for: 100, now: 2000, isSame: ==) == 2100)
    }

    @Test func `a clock that was set back lengthens no wait`() {
        var hold = Hold<Int>()
        #expect(hold.hold(1, for: 100, now: 1_000_000, isSame: ==) == 1_000_100)
        #expect(hold.hold(1, for: 100, now: 500, isSame: ==) == 600)
        #expect(hold.hold(1, for: 100, now: 590, isSame: ==) == 600)
    }
}
