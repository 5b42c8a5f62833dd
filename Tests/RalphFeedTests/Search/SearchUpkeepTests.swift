import Foundation
import GRDB
import Logging
import RalphTestSupport
import RalphWire
import Synchronization
import Testing

@testable import RalphFeed

/// The index behind the feed: how fast, how large, and what it survives.
@Suite(.timeLimit(.minutes(1)))
struct SearchUpkeepTests {
    @Test func `an event can be found within a second`() async throws {
        try await withTemporaryDirectory { directory in
            try await withSearch(in: directory, { $0.gathering = SearchConfiguration(path: "").gathering }) {
                scene in
                for number in 1...3 {
                    try scene.append("fresh\(number)")
                    try await eventually(within: .seconds(1), "hit") {
                        try scene.find("fresh\(number)").count == 1
                    }
                }
            }
        }
    }

    @Test(arguments: SearchIndexTests.both)
    func `there are never more entries than kept events`(mode: SearchMode) async throws {
        try await withTemporaryDirectory { directory in
            try await withSearch(in: directory, { $0.mode = mode }) { scene in
                for round in 0..<7 {
                    try scene.feed.append([
                        append(batch(70, first: round * 70)), append(batch(30, first: round * 30), to: 2),
                    ])
                    try await scene.waitForIndex()
                }

                #expect(try entries(in: directory) == 200)
                #expect(try scene.find("110") == ["110"])
                #expect(try scene.find("389") == [])
                #expect(try scene.find("390") == ["390"])
                #expect(scene.index.report.skipped == 0)
            }
        }
    }

    @Test func `events that are gone before their turn are skipped and counted`() async throws {
        try await withTemporaryDirectory { directory in
            try withFeed(settings(directory)) { feed in
                let store = try SearchStore(
                    path: searchSettings(directory).path, mode: .fts5, epoch: feed.epoch, ring: feed.ring,
                    globalHead: 0)
                var worker = try SearchWorker(feed: feed, store: store, pace: WorkPace(pause: { _ in }))
                try feed.append([append(batch(950)), append(batch(20), to: 2)])
                var (indexed, skipped): (Int64, Int64) = (0, 0)
                var step = SearchWorker.Step(isBehind: true)
                while step.isBehind {
                    step = try worker.step()
                    indexed += step.indexed
                    skipped += step.skipped
                }
                store.close()

                #expect((indexed, skipped) == (120, 850))
                #expect(try entries(in: directory) == 120)
            }
        }
    }

    @Test func `an index goes on where it was left`() async throws {
        try await withTemporaryDirectory { directory in
            try await withSearch(in: directory) { scene in
                try scene.append("first")
                try await scene.waitForIndex()
            }
            try await withSearch(in: directory) { scene in
                try scene.append("second")
                try await scene.waitForIndex()
                #expect(try scene.find("first") == ["first"])
                #expect(try scene.find("second") == ["second"])
                #expect(scene.index.report.indexed == 1)
                #expect(scene.index.report.rebuilt == 0)
            }
        }
    }

    @Test(arguments: ["no database", "another store", "another version", "another ring"])
    func `an index that does not fit is made anew`(how: String) async throws {
        try await withTemporaryDirectory { directory in
            try await withSearch(in: directory) { scene in
                try scene.append("kept")
                try await scene.waitForIndex()
            }
            let path = searchSettings(directory).path
            switch how {
            case "no database":
                // The log could mend the file once more.
                for suffix in ["-wal", "-shm"] { try? directory.remove("state/search.sqlite" + suffix) }
                try directory.write("state/search.sqlite", String(repeating: "junk", count: 5000))
            case "another store": try directory.remove("state/feed.sqlite")
            case "another ring": break
            default: try execute("UPDATE meta SET value = '0' WHERE name = 'identity'", path)
            }

            try await withSearch(in: directory, ring: how == "another ring" ? 200 : 100) { scene in
                try scene.append("new")
                try await scene.waitForIndex()
                #expect(try scene.find("new") == ["new"])
                #expect(try scene.find("kept").count == (how == "another store" ? 0 : 1))
                #expect(scene.index.report.rebuilt == 1)
            }
        }
    }

    @Test func `damage that a search meets is mended from the store`() async throws {
        try await withTemporaryDirectory { directory in
            try await withSearch(in: directory) { scene in
                try scene.append("kept")
                try await scene.waitForIndex()
            }
            try execute("DELETE FROM words_data WHERE id > 10", searchSettings(directory).path)

            let said = Mutex("")
            let logger = Logger(label: "test") { label in
                StreamLogHandler(label: label, stream: Lines { line in said.withLock { $0 += line } })
            }
            try await withSearch(in: directory, logger: logger) { scene in
                try await eventually(within: .seconds(10), "mended index") {
                    try scene.find("kept") == ["kept"]
                }
                #expect(scene.index.report.rebuilt == 1)
            }
            #expect(said.withLock { $0.components(separatedBy: "A search failed").count } == 2)
        }
    }

    @Test func `without room there is no index and everything else goes on`() async throws {
        try await withTemporaryDirectory { directory in
            try await withSearch(in: directory, { $0.reservedBytes = .max }) { scene in
                try scene.append("a")
                try await eventually(within: .seconds(10), "problem") {
                    scene.index.report.problem?.contains("free") == true
                }

                #expect(throws: SearchError.self) { try scene.page("a") }
                #expect(scene.index.report.behind == 1)
                #expect(try scene.feed.stored(session(1), after: 0, limit: 10).seqs == [1])
            }
        }
    }

    @Test(.enabled(if: FullDisk.canBeMounted, "a small file system cannot be mounted here"))
    func `a full disk stops the index until there is room`() async throws {
        try await withTemporaryDirectory { directory in
            let disk = try #require(FullDisk(below: directory))
            defer { disk.unmount() }
            try await withSearch(
                in: directory, { ($0.path, $0.reservedBytes) = (disk.path + "/search.sqlite", 0) }
            ) { scene in
                try scene.append("before")
                try await scene.waitForIndex()
                let filler = try disk.fill()
                for number in 0..<50 {
                    try scene.append("after\(number) " + String(repeating: "y ", count: 2000))
                }
                try await eventually(within: .seconds(10), "problem") {
                    scene.index.report.problem?.contains("full") == true
                }
                #expect(scene.index.report.behind > 0)

                try FileManager.default.removeItem(atPath: filler)
                try await scene.waitForIndex()
                #expect(scene.index.report.problem == nil)
                #expect(try scene.find("after49").count == 1)
            }
        }
    }

    private func entries(in directory: TemporaryDirectory) throws -> Int? {
        try DatabaseQueue(path: searchSettings(directory).path).read { db in
            try Int.fetchOne(db, sql: "SELECT count(*) FROM entry")
        }
    }

    private func execute(_ sql: String, _ path: String) throws {
        try DatabaseQueue(path: path).write { try $0.execute(sql: sql) }
    }
}

/// What a logger writes.
private struct Lines: TextOutputStream, Sendable {
    let keep: @Sendable (String) -> Void

    func write(_ text: String) { keep(text) }
}
