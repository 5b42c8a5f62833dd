import Foundation
import Logging
import RalphFeed
import RalphTestSupport
import RalphWire
import Testing

@Suite(.timeLimit(.minutes(1)))
struct WALCheckpointerTests {
    @Test(arguments: [1, 50])
    func `the log stays below its cap under continuous load`(perAppend: Int) async throws {
        try await withTemporaryDirectory { directory in
            var configuration = settings(directory)
            configuration.ring = 1000
            configuration.walCapBytes = 1 << 20
            try withFeed(configuration) { feed in
                var largest = 0
                for round in 0..<4000 {
                    try feed.append([append(batch(perAppend), to: UInt64(1 + round % 20))])
                    largest = max(largest, try directory.size("state/feed.sqlite-wal"))
                }
                #expect(largest <= configuration.walCapBytes)
                #expect(largest > 0)
            }
        }
    }

    @Test func `short events in the place of long ones do not fill the log`() async throws {
        try await withTemporaryDirectory { directory in
            try withFeed(settings(directory)) { feed in
                for _ in 0..<10 { try feed.append([append(batch(10, padding: 200_000))]) }
                feed.checkpointWAL()
                let before = try directory.size("state/feed.sqlite-wal")
                // Too large for the journal.
                try feed.append([append(batch(3, padding: 30_000), to: 2), append(batch(100))])
                #expect(try directory.size("state/feed.sqlite-wal") - before <= 1 << 20)
            }
        }
    }

    @Test func `the log is emptied when nothing comes any more`() async throws {
        try await withTemporaryDirectory { directory in
            let feed = try EventFeed(settings(directory), logger: Logger(label: "test"))
            defer { feed.close() }
            try feed.append([append(batch(500))])

            try await eventually(within: .seconds(10), "an empty log") {
                try directory.size("state/feed.sqlite-wal") == 0
            }
            try feed.append([append(batch(1))])
            #expect(try feed.stored(session(1), after: 0, limit: 1000).seqs.count == 100)
        }
    }
}

extension TemporaryDirectory {
    /// The size of `name` in bytes; 0 if it is missing.
    func size(_ name: String) throws -> Int {
        guard FileManager.default.fileExists(atPath: path + "/" + name) else { return 0 }
        let attributes = try FileManager.default.attributesOfItem(atPath: path + "/" + name)
        return (attributes[.size] as? NSNumber)?.intValue ?? 0
    }
}
