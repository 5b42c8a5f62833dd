import RalphTestSupport
import RalphWire
import Testing

@testable import RalphServer

@Suite(.timeLimit(.minutes(1)))
struct WorkTurnsTests {
    /// The places in use.
    private actor Places {
        private var taken = 0
        func enter() -> Int {
            taken += 1
            return taken
        }
        func leave() { taken -= 1 }
    }

    @Test func `no more than there are places work at once`() async throws {
        let turns = WorkTurns(places: 2, patience: .seconds(30), what: "tests")
        let places = Places()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<15 {
                group.addTask {
                    try await turns.run {
                        #expect(await places.enter() <= 2)
                        for _ in 0..<20 { await Task.yield() }
                        await places.leave()
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test func `who waits too long is refused and takes no place away`() async throws {
        let turns = WorkTurns(places: 1, patience: .milliseconds(5), what: "tests")
        try await turns.run {
            let refusal = await #expect(throws: Problem.self) { try await turns.run {} }
            #expect(refusal?.status == 503)
        }
        try await turns.run {}
    }

    @Test func `who would make the queue too long is refused at once`() async throws {
        // Nobody's patience ends in this test.
        let turns = WorkTurns(places: 1, patience: .seconds(3600), what: "tests", maximumWaiting: 64)
        let (refused, end) = AsyncStream.makeStream(of: Void.self)
        try await withThrowingTaskGroup(of: Bool.self) { group in
            try await turns.run {
                for _ in 0..<65 {
                    group.addTask {
                        do { try await turns.run {} } catch is Problem {
                            end.yield()
                            return false
                        }
                        return true
                    }
                }
                var iterator = refused.makeAsyncIterator()
                await iterator.next()
            }
            #expect(try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 } == 64)
        }
    }

    @Test func `two pages of history are made at once and 64 wait`() {
        #expect(HistoryReader.places == 2 && HistoryReader.maximumWaiting == 64)
    }

    @Test func `a failure gives the place back`() async throws {
        let turns = WorkTurns(places: 1, patience: .milliseconds(5), what: "tests")
        await #expect(throws: CancellationError.self) {
            try await turns.run { throw CancellationError() }
        }
        try await turns.run {}
    }
}
