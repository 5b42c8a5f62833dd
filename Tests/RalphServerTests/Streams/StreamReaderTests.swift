import Logging
import RalphFeed
import RalphTestSupport
import RalphWire
import Testing

@testable import RalphServer

@Suite(.timeLimit(.minutes(1)))
struct StreamReaderTests {
    private static let session = SessionID(digestPrefix: 1)

    @Test func `what memory has is in no gap, though it has left the ring`() async throws {
        try await withTemporaryDirectory { directory in
            let (feed, oldest) = try EventFeed.reachingBehindRing(in: directory, Self.session)
            defer { feed.close() }
            let reader = StreamReader(
                feed: feed, archive: EventArchive(feed: feed, catalogue: SessionCatalogue()))

            for cursor in [oldest - 2, 0] {
                let chunk = try reader.read(.session(Self.session), after: cursor)
                #expect(chunk.through == oldest - 1)
                for case .gap(let gap) in chunk.pieces { #expect(gap.to < oldest) }
            }
            let recent = try reader.read(.session(Self.session), after: oldest - 1)
            #expect(
                recent.through == 400
                    && recent.pieces.allSatisfy { if case .gap = $0 { false } else { true } })
        }
    }

    @Test func `a time finds its place in what memory has, though no file has it`() async throws {
        try await withTemporaryDirectory { directory in
            var configuration = FeedConfiguration(path: directory.path + "/feed.sqlite")
            configuration.ring = 100
            let feed = try EventFeed(configuration, logger: Logger(label: "test"))
            defer { feed.close() }
            let begin: Int64 = 1_770_000_000_000
            for part: Int64 in 0..<3 {
                try feed.appendNotes(100, to: Self.session, at: begin + part * 100_000, every: 1000)
            }
            #expect(feed.head(of: Self.session)?.firstKept == 201)
            let reader = StreamReader(
                feed: feed, archive: EventArchive(feed: feed, catalogue: SessionCatalogue()))

            for seconds: Int64 in [-1, 0, 49, 150, 250, 299] {
                let chunk = try reader.start(.session(Self.session), .time(begin + seconds * 1000))
                #expect(chunk.through == seconds + 1 && chunk.pieces.isEmpty)
            }
        }
    }
}
