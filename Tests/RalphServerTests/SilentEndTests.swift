import Foundation
import RalphControl
import RalphFeed
import RalphTestSupport
import RalphWire
import Synchronization
import Testing

@testable import RalphServer

/// The end of a server that waits for a file system that does not answer.
@Suite(.timeLimit(.minutes(2)))
struct SilentEndTests {
    /// Runs `body` beside a server on `directory`, then ends that.
    ///
    /// - Returns: what it logged; `nil`: it has not ended 30 s later.
    private func endedServer(
        in directory: TemporaryDirectory, _ body: (ServerParts) async throws -> Void
    ) async throws -> [String]? {
        var configuration = ServerConfiguration()
        configuration.port = 0
        configuration.roots = [directory.path]
        configuration.stateDirectory = directory.path + "/.state"
        configuration.ralph = StandIn.ralph
        let logged = RunningServer.Said()
        let server = try RalphServer(
            configuration, environment: ["PATH": "/usr/bin:/bin", "HOME": directory.path],
            logger: TestLogger.make { logged.add($0) })
        let end = Landing<Bool>()
        let run = Task {
            // It is ended by cancellation.
            try? await server.run(signals: nil) { _ in }
            end.settle(true)
        }
        defer { run.cancel() }
        try await eventually(within: .seconds(20), "server start") { server.port != nil }
        try await body(server.parts)
        run.cancel()
        return await end.value(within: .seconds(30), otherwise: false) ? logged.all : nil
    }

    /// Another server may use the store.
    private func expectFreeStore(_ directory: TemporaryDirectory) throws {
        try StoreLock(store: directory.path + "/.state/events.sqlite").release()
    }

    @Test func `a service and threads that wait for ever hold up neither the end nor the next server`()
        async throws
    {
        try await withTemporaryDirectory { directory in
            let (begun, answer) = (Landing<Bool>(), Landing<Void>())
            let held = Mutex<ThreadGate?>(nil)
            defer {
                answer.settle(())
                held.withLock { $0?.open() }
            }
            let logged = try await endedServer(in: directory) { parts in
                let job = LoopJobs.Job(
                    action: .discard, loop: Loop(id: "a", isPrimary: false, workspace: directory.path),
                    requester: .unrevocable("test"),
                    check: {
                        begun.settle(true)
                        await answer.settled()
                        throw Problem.unauthorized
                    })
                _ = try await parts.loopJobs.perform(job, within: .zero)
                #expect(await begun.value(within: .seconds(10), otherwise: false))
                let gate = try await parts.threads.hold(directory.path)
                held.withLock { $0 = gate }
            }

            let warning = try #require(logged?.first { $0.contains("does not answer") })
            #expect(warning.contains("LoopJobs") && !warning.contains("Ingest"))
            try expectFreeStore(directory)
        }
    }

    @Test func `a library that waits for ever does not hold the end up`() async throws {
        try await withTemporaryDirectory { directory in
            let begun = Landing<Bool>()
            let gate = DispatchSemaphore(value: 0)
            defer { gate.signal() }
            let logged = try await endedServer(in: directory) { parts in
                Task {
                    let look = LibraryScope.Look(at: "held") {
                        begun.settle(true)
                        gate.wait()
                        return .everything
                    }
                    return try await parts.library.body(.hats, look)
                }
                #expect(await begun.value(within: .seconds(10), otherwise: false))
            }

            #expect(logged?.contains { $0.contains("does not answer") } == false)
            try expectFreeStore(directory)
        }
    }
}
