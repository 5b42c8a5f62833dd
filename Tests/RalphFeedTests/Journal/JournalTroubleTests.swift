import Foundation
import Logging
import RalphFeed
import RalphTestSupport
import RalphWire
import Synchronization
import Testing

/// What becomes of appends while the tables cannot be written, and how large everything gets.
@Suite(.timeLimit(.minutes(1)))
struct JournalTroubleTests {
    @Test func `while the tables cannot be written nothing recorded is lost, and nothing more is taken`()
        async throws
    {
        try await withTemporaryDirectory { directory in
            try withFeed(settings(directory)) { feed in
                let sink = RecordingSink(feed)
                feed.addSink(sink)
                try feed.append([append(batch(3), checkpoints: ["a": [1]])])
                feed.checkpointWAL()
                try directory.setTables(failing: true)

                try feed.append([append(batch(2), checkpoints: ["a": [2]])])
                feed.checkpointWAL()
                let next = append(batch(1), checkpoints: ["a": [3]])
                #expect(throws: StoreError.self) { try feed.append([next]) }

                // What is asked now is answered as if they could.
                #expect(sink.globalIDs == [1, 2, 3, 4, 5])
                #expect(try feed.stored(session(1), after: 1, limit: 9).seqs == [2, 3, 4, 5])
                #expect(try feed.stored(session(1), after: 1, limit: 3).seqs == [2, 3, 4])
                #expect(try allGlobal(feed, limit: 2).globalIDs == [1, 2, 3, 4, 5])
                #expect(try feed.saved(session(1))?.checkpoints == ["a": [2]])
                #expect(try feed.saved(session(1))?.head.last == 5)
                #expect(throws: StoreError.self) { try feed.archiveSegments(session(1), from: 1, through: 5) }

                try directory.setTables(failing: false)
                try feed.append([next])
                #expect(sink.globalIDs == [1, 2, 3, 4, 5, 6])
                #expect(try feed.stored(session(1), after: 0, limit: 9).seqs == [1, 2, 3, 4, 5, 6])
            }
            let saved = try withFeed(settings(directory)) { try $0.saved(session(1)) }
            #expect(saved?.checkpoints == ["a": [3]])
        }
    }

    @Test func `a feed that closes while the tables cannot be written leaves the journal to the next`()
        async throws
    {
        try await withTemporaryDirectory { directory in
            try withFeed(settings(directory)) { feed in
                try feed.append([append(batch(1))])
                feed.checkpointWAL()
                try directory.setTables(failing: true)
                try feed.append([append(batch(2))])
            }
            #expect(throws: StoreError.self) {
                try EventFeed(settings(directory), logger: Logger(label: "test"))
            }
            try directory.setTables(failing: false)
            let seqs = try withFeed(settings(directory)) { feed in
                try feed.stored(session(1), after: 0, limit: 9).seqs
            }
            #expect(seqs == [1, 2, 3])
        }
    }

    @Test func `a smaller ring that was begun and given up took its events away for good`() async throws {
        try await withTemporaryDirectory { directory in
            var configuration = settings(directory)
            configuration.ring = 1000
            try withFeed(configuration) { feed in
                try feed.append([append(batch(150))])
                feed.checkpointWAL()
                try directory.setTables(failing: true)
                try feed.append([append(batch(10))])
            }
            configuration.ring = 100
            #expect(throws: StoreError.self) {
                try EventFeed(configuration, logger: Logger(label: "test"))
            }
            try directory.setTables(failing: false)
            configuration.ring = 1000
            let (firstKept, seqs) = try withFeed(configuration) { feed in
                let seqs = try feed.stored(session(1), after: 50, limit: 999).seqs
                return (feed.head(of: session(1))?.firstKept, seqs)
            }
            #expect(firstKept == 51 && seqs == Array(51...160))
        }
    }

    @Test(.enabled(if: FullDisk.canBeMounted, "a small file system cannot be mounted here"))
    func `a start on a full disk goes on with what the journal holds`() async throws {
        try await withTemporaryDirectory { directory in
            let small = try #require(FullDisk(below: directory))
            defer { small.unmount() }
            let configuration = FeedConfiguration.copy(
                of: settings(directory), at: small.path + "/feed.sqlite")
            let copy = try withFeed(settings(directory)) { feed in
                try feed.append([append(batch(3), checkpoints: ["a": [1]])])
                for _ in 0..<30 { try feed.append([append(batch(9), to: 2), append(batch(1))]) }
                for suffix in TemporaryDirectory.crashSuffixes + ["-shm", ".lock"] {
                    try FileManager.default.copyItem(
                        atPath: settings(directory).path + suffix, toPath: configuration.path + suffix)
                }
                return try directory.crashed("copy")
            }
            let whole = try withFeed(copy) { try Known($0) }
            let filler = try small.fill()
            try withFeed(configuration) { feed in
                #expect(feed.problem == .diskFull(path: configuration.path))
                #expect(feed.globalHead == whole.globalHead)
                let (seqs, saved) = (
                    try feed.stored(session(1), after: 0, limit: 999).seqs, try feed.saved(session(1))
                )
                #expect(seqs == Array(1...33))
                #expect(saved == whole.saved[0])
                #expect(throws: StoreError.self) { try feed.append([append(batch(1))]) }
            }
            try FileManager.default.removeItem(atPath: filler)
            #expect(try withFeed(configuration) { try Known($0) } == whole)
        }
    }

    @Test func `what the tables do not have stays in memory, whatever it costs`() async throws {
        try await withTemporaryDirectory { directory in
            var configuration = settings(directory)
            configuration.memoryBytes = 1
            try withFeed(configuration) { feed in
                try feed.append([append(batch(1))])
                feed.checkpointWAL()
                try directory.setTables(failing: true)
                for _ in 0..<20 { try feed.append([append(batch(5))]) }

                #expect(feed.recent(session(1), after: 1, limitBytes: .max).slices.last?.lastSeq == 101)

                try directory.setTables(failing: false)
                feed.checkpointWAL()
                try feed.append([append(batch(1))])
                #expect(feed.recent(session(1), after: 100, limitBytes: .max).slices.isEmpty)
                #expect(try feed.stored(session(1), after: 100, limit: 9).seqs == [101, 102])
            }
        }
    }

    @Test func `the journal stays within its two halves, and is empty when the feed is closed`() async throws
    {
        try await withTemporaryDirectory { directory in
            var configuration = settings(directory)
            configuration.ring = 1000
            try withFeed(configuration) { feed in
                for round in 0..<3000 {
                    try feed.append([append(batch(10, first: round, padding: 800))])
                }
                #expect(try directory.size("state/feed.sqlite.journal") <= 8 << 20)
                #expect(try directory.size("state/feed.sqlite.journal") > 0)
                #expect(try directory.mode("state/feed.sqlite.journal") == 0o600)
                #expect(feed.globalHead == 30_000)
            }
            #expect(try directory.size("state/feed.sqlite.journal") == 0)
            let seqs = try withFeed(configuration) { feed in
                try feed.stored(session(1), after: 29_000, limit: 2000).seqs
            }
            #expect(seqs == Array(29_001...30_000))
        }
    }

    @Test func `what was appended before a feed closed is there, however close it was`() async throws {
        try await withTemporaryDirectory { directory in
            var known: Int64 = 0
            for _ in 0..<40 {
                let feed = try EventFeed(settings(directory), logger: Logger(label: "test"))
                #expect(feed.globalHead == known)
                let appended = Atomic(known)
                let finished = DispatchSemaphore(value: 0)
                let thread = Thread {
                    // The append that finds the feed closed is the last one.
                    while (try? feed.append([append(batch(1))])) != nil {
                        appended.wrappingAdd(1, ordering: .sequentiallyConsistent)
                    }
                    finished.signal()
                }
                thread.start()
                try await eventually(within: .seconds(10), "appends") {
                    appended.load(ordering: .sequentiallyConsistent) > known + 3
                }
                feed.close()
                #expect(finished.wait(timeout: .now() + 10) == .success)
                known = appended.load(ordering: .sequentiallyConsistent)
            }
            #expect(try withFeed(settings(directory)) { $0.globalHead } == known)
        }
    }

    @Test func `small appends reach the tables soon although nobody asks`() async throws {
        try await withTemporaryDirectory { directory in
            let feed = try EventFeed(settings(directory), logger: Logger(label: "test"))
            defer { feed.close() }
            for round in 1...3 {
                try feed.append([append(batch(2))])
                try await eventually(within: .seconds(10), "rows") {
                    try directory.integer("SELECT count(*) FROM event") == 2 * round
                }
            }
        }
    }

    @Test func `a damaged store takes its journal along when it is moved aside`() async throws {
        try await withTemporaryDirectory { directory in
            let copy = try withFeed(settings(directory)) { feed in
                try feed.append([append(batch(2))])
                feed.checkpointWAL()
                try feed.append([append(batch(2))])
                return try directory.crashed("copy")
            }
            try Data(repeating: 7, count: 9000).write(to: URL(fileURLWithPath: copy.path))
            #expect(try withFeed(copy) { $0.globalHead } == 0)
            let names = try directory.names(in: "crash-copy")
            #expect(names.contains { $0.hasPrefix("feed.sqlite.corrupt-") && $0.hasSuffix(".journal") })
        }
    }
}
