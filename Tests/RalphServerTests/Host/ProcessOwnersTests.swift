import Foundation
import Logging
import RalphControl
import RalphFeed
import RalphSessions
import RalphTestSupport
import RalphWire
import Testing

@testable import RalphServer

@Suite(.timeLimit(.minutes(1)))
struct ProcessOwnersTests {
    private func withOwners(
        _ body: (ProcessOwners) throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            let feed = try EventFeed(FeedConfiguration(path: directory.path + "/s.sqlite"), logger: logger)
            defer { feed.close() }
            let catalogue = SessionCatalogue()
            let registry = try RunRegistry(ledger: feed.ledger, catalogue: catalogue, logger: logger)
            try body(ProcessOwners(registry: registry, catalogue: catalogue))
        }
    }

    private func identity(_ pid: Int32, start: UInt64) -> ProcessIdentity {
        ProcessIdentity(pid: pid, startTicks: start, bootID: "b")
    }

    @Test func `a run, its agents and what outlived them are known`() async throws {
        try await withOwners { owners in
            let session = SessionID(digestPrefix: 1)
            var record = RunRecord(session: session, directory: "/w/.ralph")
            record.process = identity(10, start: 1)
            record.agents = [ProcessGroup(id: 20, members: [identity(20, start: 2), identity(21, start: 3)])]
            try owners.registry.save(record)
            owners.registry.note(orphans: [30], of: session)

            #expect(
                owners.all() == [
                    10: .init(session: session, startTicks: 1), 20: .init(session: session, startTicks: 2),
                    21: .init(session: session, startTicks: 3), 30: .init(session: session, startTicks: nil),
                ])
        }
    }

    @Test func `a run that somebody else started is known by its lock`() async throws {
        try await withOwners { owners in
            let directory = SessionDirectory(path: "/w/.ralph", workspace: "/w", layout: .ralph)
            owners.catalogue.update(DiscoveredSession(directory: directory)) { entry in
                entry.liveness.lockHeld = true
                entry.liveness.pid = 77
            }

            #expect(owners.all() == [77: .init(session: directory.id, startTicks: nil)])
        }
    }

    @Test func `where there are no runs nobody has a process`() async throws {
        try await withOwners { owners in #expect(owners.all().isEmpty) }
    }
}
