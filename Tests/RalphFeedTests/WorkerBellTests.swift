import Synchronization
import Testing

@testable import RalphFeed

@Suite(.timeLimit(.minutes(1)))
struct WorkerBellTests {
    @Test func `no ring is lost between the look for work and the sleep`() async throws {
        let (bell, brought, taken) = (WorkerBell(), Share(), Share())
        let rounds = 20_000
        try NamedThread.start("bell-test") {
            while !bell.isStopping {
                bell.sleep { brought.value > taken.value }
                taken.set(brought.value)
            }
        }
        defer { bell.stop() }
        for round in 1...rounds {
            brought.set(round)
            bell.ring()
            // Without the thread's next look nothing goes on: a lost ring would be a wait without an end.
            while taken.value < round { await Task.yield() }
        }
        #expect(taken.value == rounds)
    }

    @Test func `work that is there already is no reason to sleep`() {
        WorkerBell().sleep { true }
    }

    @Test func `nobody sleeps or pauses any more once it is stopped`() {
        let bell = WorkerBell()
        bell.stop()
        let began = ContinuousClock.now
        bell.pause(.seconds(50))
        bell.sleep { false }
        #expect(ContinuousClock.now - began < .seconds(20))
        #expect(bell.isStopping)
    }

    /// A number that two threads see.
    private final class Share: Sendable {
        private let number = Atomic(0)

        var value: Int { number.load(ordering: .sequentiallyConsistent) }

        func set(_ value: Int) { number.store(value, ordering: .sequentiallyConsistent) }
    }
}
