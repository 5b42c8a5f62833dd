import Testing

@testable import RalphFeed

struct WorkPaceTests {
    @Test func `a rest is a multiple of the work before it, and work without a rest is short`() {
        var rests: [Duration] = []
        let began = ContinuousClock.now
        var pace = WorkPace { rests.append($0) }
        pace.factor = 3
        while rests.count < 5 { pace.restIfDue() }
        let took = ContinuousClock.now - began

        #expect(rests.allSatisfy { $0 >= WorkPace.stretch * 3 })
        #expect(rests.reduce(.zero, +) <= took * 3)
    }

    @Test func `work that nobody wants any more ends at its next rest`() throws {
        var isOver = false
        var pace = WorkPace(isOver: { isOver }, pause: { _ in })
        try pace.restOrEnd()
        isOver = true
        #expect(throws: CancellationError.self) { try pace.restOrEnd() }
    }

    @Test func `a wait of another kind counts as a rest`() {
        var rests: [Int] = []
        // A machine with other things to do may make a stretch of work of what is between two lines.
        while rests.count < 3, rests.last != 0 {
            var count = 0
            var pace = WorkPace { _ in count += 1 }
            let long = ContinuousClock.now + WorkPace.stretch * 2
            while ContinuousClock.now < long {}
            pace.begin()
            pace.restIfDue()
            rests.append(count)
        }

        #expect(rests.last == 0)
    }
}
