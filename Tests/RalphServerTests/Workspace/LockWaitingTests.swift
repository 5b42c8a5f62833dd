import RalphTestSupport
import RalphWire
import Synchronization
import Testing

@testable import RalphServer

@Suite(.timeLimit(.minutes(1)))
struct LockWaitingTests {
    /// A clock that is as far as those who sleep have slept.
    private final class Time: Sendable {
        private let slept = Mutex(Duration.zero)
        private let start = ContinuousClock.now

        var pace: LockWaiting.Pace {
            var pace = LockWaiting.Pace()
            pace.now = { self.start + self.slept.withLock { $0 } }
            pace.sleep = { duration in self.slept.withLock { $0 += duration } }
            return pace
        }
    }

    /// What those who wait tell and are told.
    private final class Gate: Sendable {
        let asleep = Mutex(0)
        let isFree = Mutex(false)
    }

    private let problem = Problem.locked(.tasks)

    private func withThreads(_ body: (FileThreads) async throws -> Void) async throws {
        try await body(FileThreads(most: 4))
    }

    @Test func `it tries until the time is over`() async throws {
        try await withThreads { threads in
            let tries = Mutex(0)
            let waiting = LockWaiting(threads: threads, pace: Time().pace)
            await #expect(throws: problem) {
                let _: Int = try await waiting.value(at: "w", otherwise: problem) {
                    tries.withLock { $0 += 1 }
                    return nil
                }
            }
            #expect((530...810).contains(tries.withLock { $0 }))
        }
    }

    @Test func `it gives the first value, and errors at once`() async throws {
        try await withThreads { threads in
            let waiting = LockWaiting(threads: threads, pace: Time().pace)
            let tries = Mutex(0)
            let value = try await waiting.value(at: "w", otherwise: problem) {
                tries.withLock { tries in
                    tries += 1
                    return tries == 3 ? "three" : nil
                }
            }
            #expect(value == "three")
            await #expect(throws: Problem.memoriesNotFound) {
                let _: Int = try await waiting.value(at: "w", otherwise: problem) {
                    throw Problem.memoriesNotFound
                }
            }
        }
    }

    @Test func `reads of a place that does not answer leave turns to others`() async throws {
        let gate = ThreadGate(within: .seconds(30))
        defer { gate.open() }
        let waiting = LockWaiting(threads: FileThreads(most: 16))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask { [problem] in
                    // Who waits too long is refused.
                    _ = try? await waiting.value(at: "silent", otherwise: problem) { gate.pass() }
                }
            }
            try await eventually(within: .seconds(10), "two reads") { gate.kept == 2 }
            #expect(try await waiting.value(at: "other", otherwise: problem) { 7 } == 7)
            #expect(gate.kept == 2)
            gate.open()
            try await group.waitForAll()
        }
    }

    @Test func `only so many wait at once`() async throws {
        try await withThreads { threads in
            let (gate, open) = AsyncStream.makeStream(of: Void.self)
            let state = Gate()
            var pace = LockWaiting.Pace()
            pace.sleep = { _ in
                state.asleep.withLock { $0 += 1 }
                for await _ in gate {}
            }
            let waiting = LockWaiting(threads: threads, pace: pace)
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<LockWaiting.capacity {
                    group.addTask { [problem] in
                        try await waiting.value(at: "w", otherwise: problem) {
                            state.isFree.withLock { $0 } ? 1 : nil
                        }
                    }
                }
                try await eventually(within: .seconds(10), "all asleep") {
                    state.asleep.withLock { $0 } == LockWaiting.capacity
                }
                await #expect(throws: Problem.workspaceBusy) {
                    let _: Int = try await waiting.value(at: "w", otherwise: problem) { 1 }
                }
                state.isFree.withLock { $0 = true }
                open.finish()
                #expect(try await group.reduce(0, +) == LockWaiting.capacity)
            }
            #expect(try await waiting.value(at: "w", otherwise: problem) { 1 } == 1)
        }
    }
}
