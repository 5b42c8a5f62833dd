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

    /// Has a command wait with its controller's thread, as for a look at a file, until `gate` is opened.
    private func hold(_ controller: SessionController, _ gate: ThreadGate) async {
        let held = Requester("held") {
            gate.pass()
            return false
        }
        await #expect(throws: ControlError.revoked) {
            try await controller.pause(now: false, by: held)
        }
    }

    @Test func `as many as wait for ever keep neither another controller nor tasks from working`()
        async throws
    {
        try await withTemporaryDirectory { directory in
            let count = min(16 + ProcessInfo.processInfo.activeProcessorCount, 80)
            let gate = ThreadGate(within: .seconds(30))
            try await withThrowingTaskGroup(of: Void.self) { group in
                defer { gate.open() }
                for number in 0..<count {
                    let controller = makeController(directory.path + "/held\(number)")
                    group.addTask { await hold(controller, gate) }
                }
                try await eventually(within: .seconds(20), "all of them waiting") { gate.kept == count }

                let other = makeController(directory.path)
                #expect(try await other.stop(force: true, by: "test").already)
                #expect(!gate.isOpen)
            }
        }
    }

    @Test func `who waits for a controller that waits is told in time, and only a stop is done later`()
        async throws
    {
        try await withTemporaryDirectory { directory in
            let controller = makeController(directory.path)
            let gate = ThreadGate(within: .seconds(40))
            try await withThrowingTaskGroup(of: Void.self) { group in
                defer { gate.open() }
                group.addTask { await hold(controller, gate) }
                try await eventually(within: .seconds(20), "one that waits") { gate.kept == 1 }
                await #expect(throws: ControlError.busy) {
                    try await controller.pause(now: false, by: "test")
                }
                for _ in 0..<CommandQueue.maximumWaiting {
                    group.addTask {
                        await #expect(throws: ControlError.self) {
                            try await controller.steer("x", urgent: false, by: "test", marker: "cmd_1")
                        }
                    }
                }
                try await eventually(within: .seconds(5), "as many as may wait") {
                    controller.queue.waiting == CommandQueue.maximumWaiting
                }
                await #expect(throws: ControlError.busy) {
                    try await controller.answer(.row(text: "yes"), by: "test", marker: "cmd_2")
                }
                async let stop = controller.stop(force: false, by: "test")
                try await eventually(within: .seconds(5), "a stop") { controller.stops.isUp }
                #expect(!gate.isOpen)

                gate.open()
                #expect(try await stop.already)
                try await group.waitForAll()
            }
            #expect(!controller.stops.isUp && !controller.queue.isBusy)
        }
    }

    @Test func `what is begun later than anybody waits for it is not done, but for a stop`() async throws {
        try await withTemporaryDirectory { directory in
            let controller = makeController(directory.path)
            let gate = ThreadGate(within: .seconds(40))
            try await withThrowingTaskGroup(of: Void.self) { group in
                defer { gate.open() }
                group.addTask { await controller.pass(gate) }
                try await eventually(within: .seconds(20), "one that waits") { gate.kept == 1 }
                group.addTask {
                    await #expect(throws: ControlError.busy) {
                        try await controller.pause(now: false, by: "test")
                    }
                }
                try await eventually(within: .seconds(20), "its turn") { controller.queue.isBusy }
                async let stop = controller.stop(force: false, by: "test")
                let patience = try #require(CommandQueue.patience(of: .change))
                let deadline = ContinuousClock.now + patience
                try await eventually(within: .seconds(10), "more than its patience") { .now > deadline }
                #expect(!gate.isOpen)

                gate.open()
                #expect(try await stop.already)
                try await group.waitForAll()
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

extension SessionController {
    /// Holds the controller's thread, though it has no turn.
    fileprivate func pass(_ gate: ThreadGate) { gate.pass() }
}
