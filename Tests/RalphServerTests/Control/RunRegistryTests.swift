import Dispatch
import Logging
import NIOPosix
import RalphControl
import RalphFeed
import RalphSessions
import RalphTestSupport
import RalphWire
import Testing

@testable import RalphServer

@Suite(.timeLimit(.minutes(1)))
struct RunRegistryTests {
    private let session = DiscoveredSession(
        directory: SessionDirectory(path: "/w/.ralph", workspace: "/w", layout: .ralph))

    private func record(_ phase: RunRecord.Phase) -> RunRecord {
        var record = RunRecord(session: session.id, directory: session.directory.path)
        record.phase = phase
        return record
    }

    @Test func `a record that is not wanted any more is not stored`() async throws {
        try await withRegistry { registry in
            try registry.save(record(.running))
            try registry.save(record(.ended)) { false }

            #expect(registry.run(session.id)?.record.phase == .running)
        }
    }

    @Test func `between the question whether a record is wanted and its storing, nobody else stores`()
        async throws
    {
        try await withRegistry { registry in
            let (asked, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            async let early: Void = NIOThreadPool.singleton.runIfActive { [self] in
                try registry.save(record(.ended)) {
                    asked.signal()
                    goOn.wait()
                    return true
                }
            }
            async let late: Void = NIOThreadPool.singleton.runIfActive { [self] in
                asked.wait()
                goOn.signal()
                try registry.save(record(.running))
            }
            _ = try await (early, late)

            #expect(registry.run(session.id)?.record.phase == .running)
        }
    }

    @Test(arguments: [(2, true), (3, true), (4, false)], ["", "/.worktrees/w"])
    func `of a run that is over its configuration counts until another one takes the lock`(
        _ lock: (Int, Bool), _ place: String
    ) async throws {
        let (second, isIts) = lock
        try await withTemporaryDirectory { directory in
            let session = DiscoveredSession(
                directory: SessionDirectory(workspace: directory.path + place), loopID: "primary-1")
            try directory.write(
                place + "/.ralph/loop.lock",
                #"{"pid":2147483647,"started":"1970-01-01T00:00:0\#(second)Z","prompt":""}"#)
            var record = RunRecord(session: session.id, directory: session.directory.path)
            record.commandLine = ["ralph", "run", "-c", "/w/other.yml"]
            (record.phase, record.exit) = (.ended, .init(code: 0, at: 3000))
            let over = record
            try await withRegistry { registry in
                try registry.save(over)
                let files = registry.configuredRun(of: session)?.configuration.files
                #expect(files == (isIts ? ["/w/other.yml"] : nil))
            }
        }
    }

    private func withRegistry(_ body: (RunRegistry) async throws -> Void) async throws {
        try await withTemporaryDirectory { directory in
            let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            let feed = try EventFeed(FeedConfiguration(path: directory.path + "/s.sqlite"), logger: logger)
            defer { feed.close() }
            try await body(
                RunRegistry(ledger: feed.ledger, catalogue: SessionCatalogue(), logger: logger))
        }
    }
}
