import GRDB
import Logging
import RalphFeed
import RalphTestSupport
import RalphWire
import Testing

/// What a feed that was closed, or never closed, finds again.
@Suite(.timeLimit(.minutes(1)))
struct ReopeningTests {
    /// Kinds of append, after each of which everything must be found again.
    enum Kind: CaseIterable {
        case events, bookmarksOnly, stateOnly, everything, nothing, bigBatch
    }

    @Test(arguments: Kind.allCases)
    func `heads, bookmarks and state are found again`(kind: Kind) async throws {
        try await withTemporaryDirectory { directory in
            let before = try withFeed(settings(directory)) { feed in
                try feed.append([append(batch(4), checkpoints: ["a": [1], "b": []], state: [9])])
                switch kind {
                case .events: try feed.append([append(batch(3)), append(batch(2), to: 2)])
                case .bookmarksOnly: try feed.append([append(EventBatch(), checkpoints: ["a": [2, 3]])])
                case .stateOnly: try feed.append([append(EventBatch(), state: [])])
                case .everything: try feed.append([append(batch(1), checkpoints: ["c": [4]], state: [5, 6])])
                case .nothing: try feed.append([append(EventBatch()), append(EventBatch(), to: 2)])
                case .bigBatch: try feed.append([append(batch(555), checkpoints: ["a": [7]])])
                }
                return try Known(feed)
            }

            #expect(try withFeed(settings(directory)) { try Known($0) } == before)
            #expect(before.epoch.utf8.count == 8)
        }
    }

    /// Sixteen, four or one are stored by one step, as many as there are and as are short enough.
    @Test(arguments: [0, 5000, 40_000], [20, 123])
    func `events of appends of every length are found again`(padding: Int, last: Int) async throws {
        try await withTemporaryDirectory { directory in
            var total = 0
            try withFeed(settings(directory)) { feed in
                for count in Array(1...22) + [last, 6] {
                    try feed.append([append(batch(count, first: total, padding: padding))])
                    total += count
                }
            }

            let blocks = try withFeed(settings(directory)) { try allGlobal($0, limit: 50) }

            let text = String(decoding: blocks.bytes, as: UTF8.self)
            let payloads = text.matches(of: /"payload":"(\d+)/).map { String($0.1) }
            #expect(payloads == (total - 100..<total).map(String.init))
            #expect(blocks.seqs == Array(Int64(total - 99)...Int64(total)))
        }
    }

    @Test func `an empty bookmark removes the one that was stored`() async throws {
        try await withTemporaryDirectory { directory in
            try withFeed(settings(directory)) { feed in
                try feed.append([append(batch(1), checkpoints: ["a": [1], "b": [2]])])

                try feed.append([append(EventBatch(), checkpoints: ["a": [], "c": []])])

                #expect(try feed.saved(session(1))?.checkpoints == ["b": [2]])
            }
        }
    }

    @Test func `a store copied in the middle of work is whole`() async throws {
        try await withTemporaryDirectory { directory in
            try withFeed(settings(directory)) { feed in
                for round in 0..<40 {
                    try feed.append([append(batch(7, first: round), checkpoints: ["a": [UInt8(round)]])])
                }
                for suffix in ["", "-wal", ".journal"] {
                    try directory.copy("state/feed.sqlite" + suffix, to: "crash/feed.sqlite" + suffix)
                }
                let before = try Known(feed)

                let copy = FeedConfiguration.copy(
                    of: settings(directory), at: directory.path + "/crash/feed.sqlite")
                #expect(try withFeed(copy) { try Known($0) } == before)
            }
        }
    }

    @Test func `a failed append leaves everything as it was and can be repeated`() async throws {
        try await withTemporaryDirectory { directory in
            try withFeed(settings(directory)) { feed in
                try feed.append([append(batch(2), checkpoints: ["a": [1]], state: [1])])
                let before = try Known(feed)
                let sink = RecordingSink(feed)
                feed.addSink(sink)
                // Too large for the journal: they go into the tables or fail.
                let appends = [
                    append(batch(3, padding: 30_000), to: 2),
                    append(batch(3), checkpoints: ["a": [2]], state: [2]),
                ]
                try directory.execute(
                    "CREATE TRIGGER no BEFORE INSERT ON state BEGIN SELECT RAISE(ABORT, 'no'); END")
                #expect(throws: StoreError.self) { try feed.append(appends) }
                #expect(try Known(feed) == before)
                #expect(sink.globalIDs.isEmpty)

                try directory.execute("DROP TRIGGER no")
                try feed.append(appends)
                #expect(sink.globalIDs == [3, 4, 5, 6, 7, 8])
                #expect(try feed.stored(session(1), after: 0, limit: 9).seqs == [1, 2, 3, 4, 5])
                #expect(try feed.saved(session(1))?.state == [2])
            }
        }
    }

    @Test(arguments: ["ABORT", "ROLLBACK"])
    func `an append that fails in the middle of many rows can be repeated`(how: String) async throws {
        try await withTemporaryDirectory { directory in
            try withFeed(settings(directory)) { feed in
                for _ in 0..<5 { try feed.append([append(batch(19))]) }
                feed.checkpointWAL()
                let before = try Known(feed)
                let sink = RecordingSink(feed)
                feed.addSink(sink)
                // Too large for the journal; rows of one step, of which the first take the places of old ones.
                let appends = [append(batch(3, padding: 30_000), to: 2), append(batch(20))]
                try directory.execute(
                    "CREATE TRIGGER no BEFORE INSERT ON event WHEN new.seq = 110 BEGIN SELECT RAISE(\(how), 'no'); END"
                )
                #expect(throws: StoreError.self) { try feed.append(appends) }
                #expect(try Known(feed) == before)
                #expect(sink.globalIDs.isEmpty)

                try directory.execute("DROP TRIGGER no")
                try feed.append(appends)
                #expect(sink.globalIDs == Array(96...118))
                #expect(try feed.stored(session(1), after: 95, limit: 99).seqs == Array(96...115))
            }
        }
    }

    @Test(arguments: [(100, 250), (250, 100), (100, 1000), (1000, 101)])
    func `another ring keeps what both hold`(old: Int, new: Int) async throws {
        try await withTemporaryDirectory { directory in
            var configuration = settings(directory)
            configuration.ring = old
            try withFeed(configuration) { feed in
                for round in 0..<12 {
                    try feed.append([append(batch(30, first: round)), append(batch(1), to: 2)])
                }
            }

            configuration.ring = new
            try withFeed(configuration) { feed in
                let kept = Int64(min(old, new, 360))
                #expect(try feed.stored(session(1), after: 0, limit: 999).seqs == Array(361 - kept...360))
                #expect(feed.head(of: session(1))?.firstKept == 361 - kept)
                try feed.append([append(batch(50))])
                let first = max(361 - kept, 411 - Int64(new))
                #expect(try feed.stored(session(1), after: 0, limit: 999).seqs == Array(first...410))
                #expect(try feed.stored(session(2), after: 0, limit: 999).seqs == Array(1...12))
                #expect(try allGlobal(feed).globalIDs.count == Int(411 - first) + 12)
            }
        }
    }

    @Test func `5000 sessions are opened quickly`() async throws {
        try await withTemporaryDirectory { directory in
            try withFeed(settings(directory)) { feed in
                try feed.append((1...5000).map { append(batch(3), to: $0, checkpoints: ["a": [1]]) })
            }

            try await atBest(within: .seconds(2), "the opening") {
                let start = ContinuousClock.now
                try withFeed(settings(directory)) { #expect($0.globalHead == 15_000) }
                return ContinuousClock.now - start
            }
        }
    }
}
