import Foundation
import GRDB
import Logging
import RalphFeed
import RalphTestSupport
import RalphWire
import Testing

/// Stores of earlier versions, and those for which there is no room.
@Suite(.timeLimit(.minutes(1)))
struct MigrationTests {
    /// Makes a store of the version before figures and journal, with five events.
    ///
    /// - Returns: a connection, for as long as the log is to stay: who closes a store last takes its companions away.
    @discardableResult
    private func makeEarlierStore(in directory: TemporaryDirectory) throws -> DatabaseQueue {
        try withFeed(settings(directory)) { try $0.append([append(batch(5))]) }
        let connection = try DatabaseQueue(path: settings(directory).path)
        try connection.read { _ = try $0.tableExists("meta") }
        try directory.execute(
            """
            DROP TABLE figure; DROP TABLE archive_beginning; DELETE FROM meta WHERE name = 'journal';
            DELETE FROM grdb_migrations WHERE identifier IN ('figures', 'journal', 'archive');
            """)
        return connection
    }

    private func failure(of configuration: FeedConfiguration) -> StoreError? {
        do {
            try withFeed(configuration) { _ in }
            return nil
        } catch {
            return error as? StoreError
        }
    }

    @Test func `a store that cannot be brought up to date stays one of the version before`() async throws {
        try await withTemporaryDirectory { directory in
            try makeEarlierStore(in: directory)
            // The last step cannot be made, the one before could.
            try directory.execute("INSERT INTO meta (name, value) VALUES ('journal', 7)")
            #expect(failure(of: settings(directory)) != nil)
            #expect(try directory.integer("SELECT count(*) FROM grdb_migrations") == 2)
            #expect(try directory.integer("SELECT count(*) FROM sqlite_master WHERE name = 'figure'") == 0)

            try directory.execute("DELETE FROM meta WHERE name = 'journal'")
            try withFeed(settings(directory)) { #expect($0.globalHead == 5) }
            #expect(try directory.integer("SELECT count(*) FROM grdb_migrations") == 5)
        }
    }

    @Test(
        .enabled(if: FullDisk.canBeMounted, "a small file system cannot be mounted here"),
        arguments: [["", "-wal", "-shm"], [""]])
    func `a start that needs room for the tables says that the disk is full`(files: [String]) async throws {
        try await withTemporaryDirectory { directory in
            let small = try #require(FullDisk(below: directory))
            defer { small.unmount() }
            let reader = try makeEarlierStore(in: directory)
            if files == [""] { try reader.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) } }
            let configuration = FeedConfiguration.copy(
                of: settings(directory), at: small.path + "/feed.sqlite")
            for suffix in files + [".lock"] {
                try FileManager.default.copyItem(
                    atPath: settings(directory).path + suffix, toPath: configuration.path + suffix)
            }
            try reader.close()
            let filler = try small.fill()

            #expect(failure(of: configuration) == .diskFull(path: configuration.path))

            try FileManager.default.removeItem(atPath: filler)
            let steps = try DatabaseQueue(path: configuration.path).read { db in
                try Int.fetchOne(db, sql: "SELECT count(*) FROM grdb_migrations")
            }
            #expect(steps == 2)
            try withFeed(configuration) { #expect($0.globalHead == 5) }
        }
    }

    @Test func `a quota that is used up is a full disk`() async throws {
        try await withTemporaryDirectory { directory in
            let connection = try makeEarlierStore(in: directory)
            let full = StoreError.diskFull(path: settings(directory).path)
            #expect(UsedUpQuota.below(directory.path) { failure(of: settings(directory)) } == full)
            try connection.close()

            try withFeed(settings(directory)) { feed in
                UsedUpQuota.below(directory.path) {
                    #expect(throws: full) { try feed.append([append(batch(9, padding: 10_000))]) }
                    #expect(throws: full) { try feed.ledger.saveRun(session(1), [1]) }
                }
                try feed.append([append(batch(1))])
                #expect(feed.globalHead == 6)
            }
        }
    }
}
