import RalphTestSupport
import Synchronization
import Testing

@testable import RalphFeed

@Suite(.timeLimit(.minutes(1)))
struct WorkerBellTests {
    @Test func `work that comes right behind the look ends the sleep`() async throws {
        let (bell, isAwake) = (WorkerBell(), Flag())
        try NamedThread.start("bell-test") {
            bell.sleep {
                bell.ring()
                return false
            }
            isAwake.set()
        }
        defer { bell.stop() }
        try await eventually(within: .seconds(10), "the thread awake") { isAwake.isSet }
    }

    @Test func `work that is there already is no reason to sleep`() {
        WorkerBell().sleep { true }
    }

    @Test func `whoever is in a hurry ends a pause`() async throws {
        let (bell, isAwake) = (WorkerBell(), Flag())
        try NamedThread.start("bell-test") {
            bell.pause(.seconds(3000))
            isAwake.set()
        }
        try await eventually(within: .seconds(10), "the thread awake") {
            bell.hurry()
            return isAwake.isSet
        }
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

    @Test func `a thread that waits with nothing under way is not waited for`() async throws {
        for isAsleep in [true, false] {
            // A thread may not have begun to wait when it is stopped.
            try await eventually(within: .seconds(20), "a thread at rest") {
                let (bell, isAtRest, isAwake) = (WorkerBell(), Flag(), Flag())
                try NamedThread.start("bell-test") {
                    isAtRest.set()
                    if isAsleep { bell.sleep { false } } else { bell.pause(.seconds(3000)) }
                    isAwake.set()
                }
                try await eventually(within: .seconds(10), "the thread at rest") { isAtRest.isSet }
                let isDismissed = bell.stop()
                if isDismissed { #expect(!bell.stop()) }  // Said once.
                try await eventually(within: .seconds(10), "the thread awake") { isAwake.isSet }
                return isDismissed
            }
        }
    }

    @Test func `a thread that need not be waited for works no more`() async throws {
        var dismissed = 0
        for _ in 0..<200 {
            let (bell, work) = (WorkerBell(), Counter())
            try NamedThread.start("bell-test") {
                while !bell.isStopping {
                    bell.pause(.microseconds(1))
                    guard !bell.isStopping else { break }
                    work.add()
                }
            }
            while work.value < 3 { await Task.yield() }
            guard bell.stop() else { continue }
            dismissed += 1
            let value = work.value
            for _ in 0..<20 { await Task.yield() }
            #expect(work.value == value)
        }
        #expect(dismissed > 0)
    }

    @Test func `a thread that rests in the midst of work is waited for`() async throws {
        let (bell, hasBegun, isAwake) = (WorkerBell(), Flag(), Flag())
        try NamedThread.start("bell-test") {
            hasBegun.set()
            bell.rest(.seconds(3000))
            isAwake.set()
        }
        try await eventually(within: .seconds(10), "the thread at work") { hasBegun.isSet }
        #expect(!bell.stop())
        try await eventually(within: .seconds(10), "the thread awake") { isAwake.isSet }
    }

    /// What one thread counts and another sees.
    private final class Counter: Sendable {
        private let count = Atomic(0)

        var value: Int { count.load(ordering: .sequentiallyConsistent) }

        func add() { count.add(1, ordering: .sequentiallyConsistent) }
    }

    /// What two threads see.
    private final class Flag: Sendable {
        private let value = Atomic(false)

        var isSet: Bool { value.load(ordering: .acquiring) }

        func set() { value.store(true, ordering: .releasing) }
    }
}
