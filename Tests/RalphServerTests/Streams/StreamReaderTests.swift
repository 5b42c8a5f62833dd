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

    @Test(arguments: [Int64(0), 1_770_000_000_000])
    func `a time that cannot be looked for is an error and no gap`(_ time: Int64) async throws {
        try await withTemporaryDirectory { directory in
            let (feed, _) = try EventFeed.reachingBehindRing(in: directory, Self.session)
            feed.close()
            let reader = StreamReader(
                feed: feed, archive: EventArchive(feed: feed, catalogue: SessionCatalogue()))

            #expect(throws: StoreError.closed) { try reader.start(.session(Self.session), .time(time)) }
        }
    }

    @Test func `an event whose place is forgotten has all that memory has behind it`() async throws {
        try await withTemporaryDirectory { directory in
            var configuration = FeedConfiguration(path: directory.path + "/feed.sqlite")
            (configuration.ring, configuration.memoryBytes) = (100, 250 * 4300)
            let feed = try EventFeed(configuration, logger: Logger(label: "test"))
            defer { feed.close() }
            let other = SessionID(digestPrefix: 2)
            // Places are forgotten step by step as the tables are written, which are behind the journal.
            var rounds = 500
            try await eventually(within: .seconds(20), "a place that is forgotten") {
                for _ in 0..<rounds {
                    for session in [Self.session, other] { try feed.appendNotes(1, of: 4096, to: session) }
                }
                rounds = 20
                return try feed.globalID(of: 1, in: Self.session) == nil
            }
            guard case .older(let oldest) = feed.recentGlobal(after: 0, limitBytes: 1) else {
                Issue.record("memory has everything")
                return
            }
            try #require(oldest < feed.globalHead - 199, "memory has no more than the rings")

            let reader = StreamReader(
                feed: feed, archive: EventArchive(feed: feed, catalogue: SessionCatalogue()))
            let chunk = try reader.start(.all, .event(Self.session, seq: 1))
            #expect(chunk.through == oldest - 1)
        }
    }
}
