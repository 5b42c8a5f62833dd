import Foundation
import Logging
import RalphTestSupport
import Testing

@testable import RalphFeed

@Suite(.timeLimit(.minutes(1)))
struct StoreCheckupTests {
    private func withStore(
        _ body: (TemporaryDirectory, String) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { place in try await body(place, place.path + "/events.sqlite") }
    }

    private func look(_ path: String) -> StoreCheckup.Outcome {
        StoreCheckup(path: path, within: .seconds(20)).look()
    }

    @Test func `a store that is not there is missing, and stays so`() async throws {
        try await withStore { place, path in
            let found = look(path)
            let names = try place.names(in: ".")
            #expect(found == .missing)
            #expect(names.isEmpty)
        }
    }

    @Test func `a store in use is left alone, and a closed one is sound and unchanged`() async throws {
        try await withStore { place, path in
            let feed = try EventFeed(FeedConfiguration(path: path), logger: Logger(label: "test"))
            #expect(look(path) == .inUse(pid: getpid()))
            feed.close()
            let before = try place.names(in: ".").sorted()
            guard case .healthy(let bytes) = look(path) else {
                Issue.record("\(look(path))")
                return
            }
            #expect(bytes > 0)
            #expect(try place.names(in: ".").sorted() == before)
        }
    }

    @Test func `a store with a log that was not written back is looked at as a copy`() async throws {
        try await withStore { place, path in
            let feed = try EventFeed(FeedConfiguration(path: path), logger: Logger(label: "test"))
            for suffix in ["", "-wal"] {
                try FileManager.default.copyItem(atPath: path + suffix, toPath: place.path + "/copy" + suffix)
            }
            feed.close()
            let before = try place.names(in: ".").sorted()
            guard case .healthy = look(place.path + "/copy") else {
                Issue.record("\(look(place.path + "/copy"))")
                return
            }
            #expect(try place.names(in: ".").sorted() == before)
        }
    }

    @Test func `what is no database is damaged, and so is what a server marked`() async throws {
        try await withStore { place, path in
            try place.write("events.sqlite", String(repeating: "no database ", count: 500))
            guard case .damaged = look(path) else {
                Issue.record("\(look(path))")
                return
            }
            try place.remove("events.sqlite")
            try EventFeed(FeedConfiguration(path: path), logger: Logger(label: "test")).close()
            // As earlier versions made it.
            try place.write("events.sqlite.damaged", "")
            #expect(look(path) == .damaged("it was found damaged at the last run"))
        }
    }

    @Test func `a look ends at its deadline`() async throws {
        try await withStore { _, path in
            try EventFeed(FeedConfiguration(path: path), logger: Logger(label: "test")).close()
            let file = try StoreFile(path: path, isWritten: false, until: .now - .seconds(1))
            let endless =
                "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
            do throws(StoreFile.Failure) {
                _ = try file.firstColumn(endless)
                Issue.record("it has ended")
            } catch {
                #expect(error.code == 9)
            }
        }
    }
}
