import Foundation
import GRDB
import Logging
import RalphTestSupport
import RalphWire
import Testing

@testable import RalphFeed

@Suite(.timeLimit(.minutes(1)))
struct RowWriterTests {
    /// Files of SQLite's own that this process has open; their directory is the system's, and others' events are in them.
    private func temporaryFiles() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { descriptor in
            // The listing's own is closed by now.
            try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + descriptor)
        }.filter { $0.contains("etilqs_") }
    }

    @Test func `events that take the place of longer ones take no temporary file`() async throws {
        try await withTemporaryDirectory { directory in
            let configuration = settings(directory)
            try withFeed(configuration) { _ in }
            let store = try EventStore(configuration, logger: Logger(label: "test"))
            defer { store.closeConnections() }
            var pace = WorkPace { _ in }
            for padding in [20_000, 0] {
                let numbered = NumberedAppend(
                    append: append(batch(100, padding: padding)), firstSeq: 1, firstGlobalID: 1,
                    head: FeedHead(firstKept: 1, last: 100, lastGlobalID: 100, newestTimestamp: 1))
                let files = try store.write { db in
                    var files: [String] = []
                    try db.inTransaction {
                        try RowWriter(db: db, ring: store.ring).insertEvents(
                            of: numbered, session: 1, pace: &pace)
                        files = try temporaryFiles()
                        return .commit
                    }
                    return files
                }
                #expect(files == [])
            }
        }
    }
}
