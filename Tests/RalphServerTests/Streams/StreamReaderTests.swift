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
            var configuration = FeedConfiguration(path: directory.path + "/feed.sqlite")
            configuration.ring = 100
            configuration.memoryBytes = 250 * 4300
            let feed = try EventFeed(configuration, logger: Logger(label: "test"))
            defer { feed.close() }
            for _ in 0..<20 { try feed.appendNotes(20, of: 4096, to: Self.session) }
            guard case .older(let oldest) = feed.recent(Self.session, after: 0, limitBytes: 1) else {
                Issue.record("memory has everything")
                return
            }
            #expect((101...290).contains(oldest) && feed.head(of: Self.session)?.firstKept == 301)
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
}
