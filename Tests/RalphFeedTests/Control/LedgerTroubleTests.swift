import Foundation
import Logging
import RalphFeed
import RalphTestSupport
import RalphWire
import Testing

@Suite(.timeLimit(.minutes(1)))
struct LedgerTroubleTests {
    @Test(.enabled(if: FullDisk.canBeMounted, "a small file system cannot be mounted here"))
    func `a full disk is told, and the ledger goes on when there is room`() async throws {
        try await withTemporaryDirectory { directory in
            let small = try #require(FullDisk(below: directory))
            defer { small.unmount() }
            let configuration = FeedConfiguration(path: small.path + "/feed.sqlite")
            try withFeed(configuration) { feed in
                try feed.ledger.saveRun(session(1), [1])
                let filler = try small.fill()
                let value = [UInt8](repeating: 7, count: 20_000)
                var failure: StoreError?
                for number in 2..<500 where failure == nil {
                    do throws(StoreError) {
                        try feed.ledger.saveRun(session(UInt64(number)), value)
                    } catch { failure = error }
                }
                #expect(failure == .diskFull(path: configuration.path))

                try FileManager.default.removeItem(atPath: filler)
                try feed.ledger.saveRun(session(1), [2])
                #expect(try feed.ledger.runs().first?.value == [2])
                try feed.append([append(batch(5))])
            }
        }
    }

    @Test(.enabled(if: FullDisk.canBeMounted, "a small file system cannot be mounted here"))
    func `a start on a full disk goes on, whatever the last server was carrying out`() async throws {
        try await withTemporaryDirectory { directory in
            let small = try #require(FullDisk(below: directory))
            defer { small.unmount() }
            var configuration = FeedConfiguration.copy(
                of: settings(directory), at: small.path + "/feed.sqlite")
            try withFeed(settings(directory)) { feed in
                try feed.append([append(batch(300))])
                feed.checkpointWAL()
                _ = try feed.ledger.begin(
                    CommandRecord(
                        session: session(1), kind: "stop", by: "test", marker: "cmd_1", requestedAt: 1))
                _ = try feed.ledger.beginIdempotent(key: "k", scope: "s", digest: [1], at: 5)
                for suffix in TemporaryDirectory.crashSuffixes + ["-shm", ".lock"] {
                    try FileManager.default.copyItem(
                        atPath: settings(directory).path + suffix, toPath: configuration.path + suffix)
                }
            }
            configuration.ring = 1000
            let filler = try small.fill()
            try withFeed(configuration) { feed in
                #expect(feed.ring == 100)
                let commands = try feed.ledger.commands(of: nil, before: nil, limit: 9)
                #expect(commands.map(\.outcome) == [CommandRecord.unknownOutcome])
                let entry = try feed.ledger.beginIdempotent(key: "k", scope: "s", digest: [1], at: 6)
                #expect(entry == .interrupted)
                #expect(try feed.stored(session(1), after: 0, limit: 999).seqs == Array(201...300))
                try FileManager.default.removeItem(atPath: filler)
                try feed.append([append(batch(50))])
                #expect(try feed.stored(session(1), after: 0, limit: 999).seqs == Array(251...350))
            }
            try withFeed(configuration) { feed in
                #expect(feed.ring == 1000)
                try feed.append([append(batch(50))])
                #expect(try feed.stored(session(1), after: 0, limit: 999).seqs == Array(251...400))
            }
        }
    }

    @Test func `a problem is known until a change can be stored, which is tried`() async throws {
        try await withTemporaryDirectory { directory in
            try await withFeedAsync(settings(directory)) { feed in
                let ledger = feed.ledger
                _ = try ledger.beginIdempotent(key: "k", scope: "s", digest: [1], at: 5)
                try directory.execute(
                    "CREATE TRIGGER never BEFORE INSERT ON run BEGIN SELECT RAISE(ABORT, 'no'); END")
                try directory.setTables(failing: true)
                #expect(throws: StoreError.self) { try ledger.saveRun(session(1), [1]) }
                #expect(ledger.problem != nil)
                _ = try ledger.beginIdempotent(key: "k", scope: "s", digest: [1], at: 5)
                ledger.retry()
                #expect(ledger.problem != nil)

                try directory.setTables(failing: false)
                try await eventually(within: .seconds(10), "a write that succeeds") {
                    ledger.retry()
                    return ledger.problem == nil
                }
                #expect(throws: StoreError.self) { try ledger.saveRun(session(1), [1]) }
                #expect(ledger.problem != nil)
                try ledger.abandonIdempotent(key: "k", scope: "s")
                #expect(ledger.problem == nil)
            }
        }
    }

    @Test func `an outcome that could not be stored is told, and stored with what comes next`() async throws {
        try await withTemporaryDirectory { directory in
            try withFeed(settings(directory)) { feed in
                let ledger = feed.ledger
                let id = try ledger.begin(
                    CommandRecord(
                        session: session(1), kind: "pause", by: "test", marker: "cmd_1", detail: "now",
                        requestedAt: 1))
                let counting = "SELECT count(*) FROM command WHERE outcome = 'pending'"
                try directory.execute(
                    "CREATE TRIGGER no BEFORE UPDATE ON command BEGIN SELECT RAISE(ABORT, 'no'); END")
                #expect(throws: StoreError.self) {
                    try ledger.conclude(id, outcome: "accepted", status: 200, detail: nil, at: 9)
                }
                try ledger.saveRun(session(1), [1])
                #expect(try directory.integer(counting) == 1)
                let told = try ledger.commands(of: nil, before: nil, limit: 9)
                #expect(told.map(\.outcome) == ["accepted"] && told.map(\.concludedAt) == [9])
                #expect(told.map(\.status) == [200] && told.map(\.detail) == ["now"])

                try directory.execute("DROP TRIGGER no")
                try ledger.saveRun(session(1), [2])
                #expect(try directory.integer(counting) == 0)
                #expect(try ledger.commands(of: nil, before: nil, limit: 9) == told)
            }
            try withFeed(settings(directory)) { feed in
                let kept = try feed.ledger.commands(of: nil, before: nil, limit: 9)
                #expect(kept.map(\.outcome) == ["accepted"])
            }
        }
    }

    @Test func `a closed ledger says so`() async throws {
        try await withTemporaryDirectory { directory in
            let feed = try EventFeed(settings(directory), logger: Logger(label: "test"))
            feed.close()

            #expect(throws: StoreError.closed) { try feed.ledger.saveRun(session(1), [1]) }
            #expect(throws: StoreError.closed) { try feed.ledger.runs() }
        }
    }

    @Test func `a store of a version before the ledger goes on with it`() async throws {
        try await withTemporaryDirectory { directory in
            try withFeed(settings(directory)) { try $0.append([append(batch(3))]) }
            try EarlierStore.takeLedgerAway(from: settings(directory).path)

            try withFeed(settings(directory)) { feed in
                #expect(feed.head(of: session(1))?.last == 3)
                try feed.ledger.saveRun(session(1), [1])
                #expect(try feed.ledger.runs().count == 1)
            }
        }
    }

    @Test func `commands get their turn while the rows of a large file are removed`() async throws {
        try await withTemporaryDirectory { directory in
            let rows = 200_000
            try await withFeedAsync(settings(directory)) { feed in
                var output = EventBatch()
                let contexts = (0..<2).map {
                    output.contextIndex(
                        .init(file: "agent:1", generation: 0, iteration: 1, hat: "\($0)"))
                }
                for number in 0..<rows {
                    output.add(payload: "", place: (Int64(number), contexts[number % 2]))
                }
                try feed.append([append(output, checkpoints: ["agent:1": [1]])])
                let counting = "SELECT count(*) FROM archive_index"
                #expect(try directory.integer(counting) == rows)

                try feed.append([append(EventBatch(), checkpoints: ["agent:1": []])])
                var meanwhile: Set<Int> = []
                try await eventually(within: .seconds(50), "one row") {
                    _ = try feed.ledger.begin(
                        CommandRecord(
                            session: session(1), kind: "stop", by: "test", marker: "cmd_1", requestedAt: 1))
                    let left = try directory.integer(counting) ?? 0
                    if (2..<rows).contains(left) { meanwhile.insert(left) }
                    return left == 1
                }
                #expect(!meanwhile.isEmpty)
            }
        }
    }

    @Test func `commands and events of many threads do not meet`() async throws {
        try await withTemporaryDirectory { directory in
            try await withFeedAsync(settings(directory)) { feed in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for worker in 0..<4 {
                        group.addTask {
                            for number in 0..<100 {
                                let id = try feed.ledger.begin(
                                    CommandRecord(
                                        session: session(UInt64(worker + 1)), kind: "emit", by: "test",
                                        marker: "cmd_\(number)", requestedAt: Int64(number)))
                                try feed.ledger.conclude(
                                    id, outcome: "accepted", status: 200, detail: nil, at: 1)
                            }
                        }
                    }
                    group.addTask { for _ in 0..<100 { try feed.append([append(batch(3))]) } }
                    try await group.waitForAll()
                }
                let commands = try feed.ledger.commands(of: nil, before: nil, limit: .max)
                #expect(commands.count == 400 && commands.allSatisfy { $0.outcome == "accepted" })
                #expect(Set(commands.map(\.id)).count == 400)
                #expect(feed.head(of: session(1))?.last == 300)
            }
        }
    }

    @Test func `of two threads with one key only one is the first`() async throws {
        try await withTemporaryDirectory { directory in
            try await withFeedAsync(settings(directory)) { feed in
                for number in 0..<50 {
                    let entries = try await withThrowingTaskGroup(of: IdempotentEntry.self) { group in
                        for _ in 0..<2 {
                            group.addTask {
                                try feed.ledger.beginIdempotent(
                                    key: "\(number)", scope: "s", digest: [1], at: 5)
                            }
                        }
                        return try await group.reduce(into: [IdempotentEntry]()) { $0.append($1) }
                    }
                    #expect(entries.count { $0 == .new } == 1 && entries.contains(.inProgress))
                }
            }
        }
    }
}

/// Runs `body` with an open feed and closes it.
private func withFeedAsync(
    _ configuration: FeedConfiguration, _ body: (EventFeed) async throws -> Void
) async throws {
    let feed = try EventFeed(configuration, logger: Logger(label: "test"))
    defer { feed.close() }
    try await body(feed)
}
