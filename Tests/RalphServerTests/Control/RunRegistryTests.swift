import Dispatch
import Foundation
import Logging
import NIOPosix
import RalphFeed
import RalphSessions
import RalphTestSupport
import RalphWire
import Synchronization
import Testing

@testable import RalphControl
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

    @Test func `an output is gone when it was removed, and not while nothing of its session is in sight`()
        async throws
    {
        try await withTemporaryDirectory { directory in
            try await withRegistry { registry in
                var record = record(.ended)
                record.output = directory.path + "/runs/w/2/output.jsonl"
                try registry.save(record)
                func isKept() -> Bool { !registry.outputs(of: session.directory).isEmpty }

                #expect(isKept())
                try directory.write("runs/w/3/output.jsonl", "")
                #expect(!isKept())
                try directory.write("runs/w/2/output.jsonl", "")
                #expect(isKept())
            }
        }
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

    @Test func `a run whose configuration cannot be read for now keeps no other one from being stored`()
        async throws
    {
        try await withTemporaryDirectory { directory in
            let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            let feed = try EventFeed(FeedConfiguration(path: directory.path + "/s.sqlite"), logger: logger)
            defer { feed.close() }
            let gate = ThreadGate(within: .seconds(30))
            defer { gate.open() }
            let registry = try RunRegistry(
                ledger: feed.ledger, catalogue: SessionCatalogue(), logger: logger,
                load: { layers in
                    if layers.files == ["/silent.yml"] { gate.pass() }
                    return nil
                })
            var silent = record(.running)
            silent.commandLine = ["ralph", "run", "-c", "/silent.yml"]
            let held = silent
            async let stored: Void = NIOThreadPool.singleton.runIfActive { try registry.save(held) }
            try await eventually(within: .seconds(10), "a read that waits") { gate.kept == 1 }

            let other = SessionDirectory(workspace: "/other")
            try registry.save(RunRecord(session: other.id, directory: other.path))
            #expect(registry.sessions.count == 2)
            #expect(!gate.isOpen)
            gate.open()
            try await stored
        }
    }

    @Test func `what a stored run goes by is read when its session is to be shown, once`() async throws {
        try await withTemporaryDirectory { directory in
            let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            let feed = try EventFeed(FeedConfiguration(path: directory.path + "/s.sqlite"), logger: logger)
            defer { feed.close() }
            var stored = record(.ended)
            stored.commandLine = ["ralph", "run", "-c", directory.path + "/other.yml"]
            try directory.write("other.yml", "event_loop: {max_iterations: 7}\n")
            try RunRegistry(ledger: feed.ledger, catalogue: SessionCatalogue(), logger: logger).save(stored)

            let catalogue = SessionCatalogue()
            let reads = Atomic(0)
            let registry = try RunRegistry(
                ledger: feed.ledger, catalogue: catalogue, logger: logger,
                load: { layers in
                    reads.add(1, ordering: .relaxed)
                    return WorkspaceConfig.load(layers, user: nil)
                })
            #expect(reads.load(ordering: .relaxed) == 0)
            for _ in 0..<2 { registry.prepareConfiguration(of: session.id) }
            registry.prepareConfiguration(of: SessionDirectory(workspace: "/other").id)
            catalogue.insert(session) { _ in }
            #expect(reads.load(ordering: .relaxed) == 1)
            #expect(catalogue.entry(session.id)?.control?.phase == .ended)
            #expect(catalogue.entry(session.id)?.runConfig?.maxIterations == 7)
        }
    }

    @Test(
        arguments: [
            ([], false, 100), (["--completion-promise", "DONE"], false, 100),
            // What was there may have said anything.
            ([], true, nil), (["-c", "none.yml"], false, nil), (nil, false, nil),
            (["--max-iterations", "5"], false, 5),
        ] as [([String]?, Bool, Int?)])
    func `a run that was seen without a configuration has Ralph's default limit`(
        words: [String]?, hadFile: Bool, limit: Int?
    ) async throws {
        try await withTemporaryDirectory { directory in
            let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            let feed = try EventFeed(FeedConfiguration(path: directory.path + "/s.sqlite"), logger: logger)
            defer { feed.close() }
            let session = DiscoveredSession(directory: SessionDirectory(workspace: directory.path))
            let catalogue = SessionCatalogue()
            catalogue.insert(session) { _ in }
            if hadFile { try directory.write("ralph.yml", "max_iterations: 7\n") }
            var record = RunRecord(session: session.id, directory: session.directory.path)
            record.commandLine = words.map { ["ralph", "run"] + $0 }
            record.isEnvironmentKnown = words != nil
            record.noteFiles(in: directory.path)
            if hadFile { try FileManager.default.removeItem(atPath: directory.path + "/ralph.yml") }
            try RunRegistry(ledger: feed.ledger, catalogue: catalogue, logger: logger).save(record)

            #expect(catalogue.entry(session.id)?.iterationLimit == limit)
        }
    }

    @Test(
        arguments: [
            (["ralph", "run"], true, nil, 100), (["ralph", "run"], true, "RObot: {enabled: true}", nil),
            // What these were given may have been anything.
            (["ralph", "run"], false, nil, nil), ([], true, nil, nil),
        ] as [([String], Bool, String?, Int?)])
    func `a file that came later and a process that hides what it was given tell no limit`(
        words: [String], isEnvironmentKnown: Bool, later: String?, limit: Int?
    ) {
        var record = record(.running)
        (record.commandLine, record.isEnvironmentKnown) = (words, isEnvironmentKnown)
        record.files = RunRecord.Files()
        var entry = CatalogueEntry(session: session)
        entry.config = later.flatMap(WorkspaceConfig.init(yaml:))
        entry.control = RunOverlay(StoredRun(record: record), orphans: [])

        #expect(entry.iterationLimit == limit)
        #expect(entry.workspaceConfig == nil)
        #expect((entry.runConfig == nil) == (limit == nil))
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

    @Test(.enabled(if: FullDisk.canBeMounted, "a small file system cannot be mounted here"))
    func `what was found out is shown on a full disk, and stored with its figures when there is room`()
        async throws
    {
        try await withTemporaryDirectory { directory in
            let disk = try #require(FullDisk(below: directory))
            defer { disk.unmount() }
            let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            let feed = try EventFeed(FeedConfiguration(path: disk.path + "/s.sqlite"), logger: logger)
            defer { feed.close() }
            let catalogue = SessionCatalogue()
            catalogue.insert(session) { _ in }
            let registry = try RunRegistry(ledger: feed.ledger, catalogue: catalogue, logger: logger)
            try registry.save(record(.running))
            let filler = try disk.fill()
            var suspended = record(.suspended)
            suspended.pause = .init(requestedAt: 1, by: "test")
            suspended.plan = LaunchPlan(workspace: "/" + String(repeating: "w", count: 100_000))
            let paused = suspended

            #expect(throws: StoreError.self) { try registry.save(paused) }
            #expect(registry.run(session.id)?.record.phase == .running)
            #expect(throws: StoreError.self) { try registry.save(paused, isObserved: true) }
            #expect(registry.run(session.id)?.record.phase == .suspended)
            #expect(catalogue.entry(session.id)?.control?.phase == .suspended)
            registry.storeUnsaved()
            #expect(try stored(feed) == [.running])

            try FileManager.default.removeItem(atPath: filler)
            registry.storeUnsaved()

            #expect(try stored(feed) == [.suspended])
            // Of the pause it is stored once since when it lasts.
            try registry.save(paused, isObserved: true)
            let since = registry.run(session.id)?.pausedSince
            #expect(try feed.figures(of: session.id).open.suspendedMilliseconds == since)
        }
    }

    private func stored(_ feed: EventFeed) throws -> [RunRecord.Phase] {
        try feed.ledger.runs().map {
            try JSONDecoder().decode(StoredRun.self, from: Data($0.value)).record.phase
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
