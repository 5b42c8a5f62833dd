import RalphFeed
import RalphTestSupport
import RalphWire
import Testing

@Suite(.timeLimit(.minutes(1)))
struct GlobalIndexTests {
    /// A naive model keeps which events are in the rings; the global order must give exactly those.
    @Test(arguments: [3, 11] as [UInt64])
    func `the global order gives exactly what the rings hold`(seed: UInt64) async throws {
        try await withTemporaryDirectory { directory in
            var random = SeededGenerator(seed: seed)
            try withFeed(settings(directory)) { feed in
                var rings: [UInt64: [Int64]] = [:]
                var next: Int64 = 1
                for _ in 0..<1500 {
                    let isOfFirst = Bool.random(using: &random)
                    let number = isOfFirst ? 1 : UInt64.random(in: 2...7, using: &random)
                    let count = Int.random(in: 1...3, using: &random)
                    try feed.append([append(batch(count), to: number)])
                    rings[number, default: []] += Array(next..<next + Int64(count))
                    rings[number] = rings[number]?.suffix(100)
                    next += Int64(count)
                }
                let expected = rings.values.flatMap { $0 }.sorted()

                #expect(try allGlobal(feed, limit: 13).globalIDs == expected)
                #expect(try allGlobal(feed, limit: 1000).globalIDs == expected)
                let cursor = expected[expected.count / 2]
                #expect(try allGlobal(feed, after: cursor).globalIDs == expected.filter { $0 > cursor })
            }
            // Opened again, memory has none of them, and then some.
            try withFeed(settings(directory)) { feed in
                try expectNewest(in: feed)
                for number in 1...50 { try feed.append([append(batch(1), to: UInt64(1 + number % 7))]) }
                feed.checkpointWAL()
                try expectNewest(in: feed)
            }
        }
    }

    @Test func `what memory has is not counted again in the tables`() async throws {
        try await withTemporaryDirectory { directory in
            try withFeed(settings(directory)) { feed in
                try feed.append([append(batch(10), to: 1)])
                try feed.append([append(batch(100), to: 2)])
            }
            try withFeed(settings(directory)) { feed in
                for (session, count) in [(3, 1), (2, 100), (1, 10)] {
                    try feed.append([append(batch(count), to: UInt64(session))])
                }
                #expect(try feed.globalCursor(ofNewest: 121) == 0)
                let kept = try allGlobal(feed).globalIDs
                #expect(kept.count == 121)
                for count in 109...121 {
                    let cursor = try feed.globalCursor(ofNewest: Int64(count))
                    #expect(try allGlobal(feed, after: cursor, limit: 1000).globalIDs == kept.suffix(count))
                }
            }
        }
    }

    /// Asked for the newest events, `feed` tells where so many begin of the 700 that seven rings keep.
    private func expectNewest(in feed: EventFeed) throws {
        let kept = try allGlobal(feed).globalIDs
        #expect(kept.count == 700)
        for count in [1, 5, 99, 100, 101, 350, 699, 700] {
            let cursor = try feed.globalCursor(ofNewest: Int64(count))
            #expect(try allGlobal(feed, after: cursor, limit: 1000).globalIDs == kept.suffix(count))
        }
        #expect(try feed.globalCursor(ofNewest: 0) == feed.globalHead)
    }

    @Test func `rows of events that are gone are taken out`() async throws {
        try await withTemporaryDirectory { directory in
            try withFeed(settings(directory)) { feed in
                for round in 0..<4000 { try feed.append([append(batch(1), to: UInt64(1 + round % 2))]) }

                let rows = try #require(try directory.integer("SELECT count(*) FROM global_index"))
                #expect(rows < 500)
                #expect(try allGlobal(feed).globalIDs == Array(3801...4000))
            }
        }
    }

    @Test func `rows of a slow session beside a busy one are taken out as well`() async throws {
        try await withTemporaryDirectory { directory in
            try withFeed(settings(directory)) { feed in
                for _ in 0..<600 {
                    try feed.append([append(batch(1), to: 1)])
                    try feed.append([append(batch(700), to: 2)])
                }

                // Waits until the tables have all of it.
                feed.checkpointWAL()
                let rows = try #require(try directory.integer("SELECT count(*) FROM global_index"))
                #expect(rows < 300)
                let slow = (501...600).map { Int64($0 - 1) * 701 + 1 }
                #expect(try allGlobal(feed).globalIDs == slow + Array(420_501...420_600))
            }
        }
    }
}
