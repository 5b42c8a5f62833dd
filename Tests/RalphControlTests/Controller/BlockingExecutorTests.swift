import Foundation
import Logging
import RalphSessions
import RalphTestSupport
import Synchronization
import Testing

@testable import RalphControl

/// Controllers that wait, as for a file system that does not answer.
@Suite(.timeLimit(.minutes(2))) struct BlockingExecutorTests {
    /// Does nothing but wait or answer, where a controller would.
    private actor Worker {
        private let executor: BlockingExecutor

        init(_ threads: BlockingThreads) { executor = BlockingExecutor(threads: threads) }

        nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

        func pass(_ gate: ThreadGate) { gate.pass() }
        func note(_ number: Int, in notes: Notes) { notes.add(number) }
    }

    private final class Notes: Sendable {
        private let numbers = Mutex<[Int]>([])

        var all: [Int] { numbers.withLock { $0 } }
        func add(_ number: Int) { numbers.withLock { $0.append(number) } }
    }

    private func makeController(_ workspace: String) -> SessionController {
        SessionController(
            session: DiscoveredSession(directory: SessionDirectory(workspace: workspace)), record: nil,
            settings: ControlSettings(ralph: nil, runs: workspace + "/runs", environment: [:]),
            reports: ReportLog().reports, logger: Logger(label: "test"))
    }

    @Test func `as many as wait for ever keep neither another controller nor tasks from working`()
        async throws
    {
        try await withTemporaryDirectory { directory in
            let count = min(16 + ProcessInfo.processInfo.activeProcessorCount, 80)
            let gate = ThreadGate(within: .seconds(30))
            // What is asked when the command's turn has come holds the controller's thread, as a look at a file does.
            let held = Requester("held") {
                gate.pass()
                return false
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                defer { gate.open() }
                for number in 0..<count {
                    let controller = makeController(directory.path + "/held\(number)")
                    group.addTask {
                        await #expect(throws: ControlError.revoked) {
                            try await controller.pause(now: false, by: held)
                        }
                    }
                }
                try await eventually(within: .seconds(20), "all of them waiting") { gate.kept == count }

                let other = makeController(directory.path)
                #expect(try await other.stop(force: true, by: "test").already)
                #expect(!gate.isOpen)
            }
        }
    }

    @Test func `one that waits keeps nobody from a thread, up to a bound`() async throws {
        let threads = BlockingThreads(width: 1, most: 2)
        let (gate, notes) = (ThreadGate(within: .seconds(30)), Notes())
        let workers = (0..<3).map { _ in Worker(threads) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer { gate.open() }
            group.addTask { await workers[0].pass(gate) }
            try await eventually(within: .seconds(10), "one that waits") { gate.kept == 1 }
            await workers[1].note(1, in: notes)
            group.addTask { await workers[1].pass(gate) }
            try await eventually(within: .seconds(10), "another one") { gate.kept == 2 }
            group.addTask { await workers[2].note(2, in: notes) }
            let deadline = ContinuousClock.now + BlockingThreads.patience * 5
            try await eventually(within: .seconds(10), "more than its patience") { .now > deadline }

            #expect(notes.all == [1])
            #expect(!gate.isOpen)
        }
        #expect(notes.all == [1, 2])
    }
}
