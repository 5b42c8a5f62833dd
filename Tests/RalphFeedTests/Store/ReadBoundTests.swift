import RalphFeed
import RalphTestSupport
import Testing

/// How much one read of the tables brings into memory.
@Suite(.timeLimit(.minutes(1)))
struct ReadBoundTests {
    @Test func `large events come a few at a time, and none is left out`() async throws {
        try await withTemporaryDirectory { directory in
            try withFeed(settings(directory)) { feed in
                for number in 0..<60 {
                    try feed.append([
                        append(batch(1, first: number, padding: 200_000), to: UInt64(number % 2))
                    ])
                }
                var cursor: Int64 = 0
                var reads = 0
                while true {
                    let blocks = try feed.stored(session(1), after: cursor, limit: 100)
                    guard let last = blocks.seqs.last else { break }
                    #expect(blocks.seqs == Array(cursor + 1...last) && blocks.bytes.count < 3 << 20)
                    cursor = last
                    reads += 1
                }
                #expect(cursor == 30 && reads > 1)
                #expect(try allGlobal(feed, limit: 1000).globalIDs == Array(1...60))
            }
        }
    }
}
