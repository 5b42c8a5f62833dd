import Foundation
import RalphControl
import RalphSessions
import RalphTestSupport
import RalphWire
import Synchronization
import Testing

@testable import RalphServer

/// The output of a run that prints more than is kept.
@Suite(.timeLimit(.minutes(1)))
struct RunOutputCapTests {
    private static let cap: Int64 = 128 << 10

    /// A service beside the server's own that keeps `bytes` of output.
    private func service(
        _ parts: ServerParts, capBytes bytes: Int64, _ keep: @escaping @Sendable (String) -> Void
    ) -> ControlService {
        let own = parts.control
        var settings = own.settings
        settings.outputCapBytes = bytes
        return ControlService(
            catalogue: own.catalogue, registry: own.registry, devices: own.devices, feed: own.feed,
            ingest: own.ingest, changes: ChangedSessions(), settings: settings, threads: own.threads,
            startThreads: own.startThreads, stateThreads: own.stateThreads, ownThreads: own.ownThreads,
            logger: TestLogger.make(keep))
    }

    /// Runs `body` beside a run that prints 400 KB and then waits; gives the path of its output.
    private func withOutput(_ body: (ServerParts, String) async throws -> Void) async throws {
        let printed = String(repeating: "say " + String(repeating: "x", count: 4000) + "\n", count: 100)
        let setup = StandInSetup(steps: "always:\n\(printed)touch printed\nwait-for .ralph-go\n")
        try await withStandInWorkspace(setup) { workspace in
            try await withServerParts(in: workspace.outside, { $0.ralph = StandIn.ralph }) { server, parts in
                let id = try #require(SessionID(try await server.start()))
                try await eventually(within: .seconds(20), "all that it prints") {
                    workspace.exists("printed")
                }
                try await body(parts, try #require(parts.control.registry.run(id)?.record.output))
                _ = try await server.send("DELETE", "/api/sessions/\(id)?force=1")
            }
        }
    }

    @Test func `the oldest part beyond the cap is given back to the disk`() async throws {
        try await withOutput { parts, output in
            let service = service(parts, capBytes: Self.cap) { _ in }
            let before = EntryStatus.allocatedBytes(at: output)
            try #require(before > 2 * Self.cap)

            // What was not read yet stays.
            try await eventually(within: .seconds(20), "room") {
                await service.capOutput()
                return EntryStatus.allocatedBytes(at: output) <= Self.cap + 4096
            }
            let report = service.report.withLock { $0 }
            #expect(report.output_freed_bytes >= before - Self.cap - 8192)
            #expect(report.output_uncapped == 0)
        }
    }

    @Test func `so is that of a loop's job which a former server began`() async throws {
        try await withOutput { parts, _ in
            let service = service(parts, capBytes: Self.cap) { _ in }
            let log = LoopJobs.output(at: 3, in: service.settings)
            try Data(repeating: 0x78, count: 400_000).write(to: URL(fileURLWithPath: log))
            try #require(EntryStatus.allocatedBytes(at: log) > 2 * Self.cap)

            await service.capOutput()

            #expect(EntryStatus.allocatedBytes(at: log) <= Self.cap + 4096)
        }
    }

    @Test func `output that cannot be capped is told once, and counted each time`() async throws {
        try await withOutput { parts, output in
            let lines = Mutex<[String]>([])
            let service = service(parts, capBytes: -1) { line in lines.withLock { $0.append(line) } }
            func told() -> Int { lines.withLock { $0.count { $0.contains("cannot be capped") } } }
            // Not followed: nothing can be given back of it.
            #expect(rename(output, output + ".kept") == 0)
            #expect(symlink(output + ".kept", output) == 0)
            await service.capOutput()
            await service.capOutput()

            #expect(told() == 1)
            #expect(service.report.withLock { $0.output_uncapped } == 2)
            #expect(unlink(output) == 0 && rename(output + ".kept", output) == 0)
            await service.capOutput()
            #expect(told() == 1)
            #expect(service.report.withLock { $0.output_uncapped } == 2)
        }
    }
}
