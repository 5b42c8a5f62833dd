import NIOPosix
import RalphFeed
import RalphTestSupport
import RalphWire
import Testing

@testable import RalphServer

@Suite(.timeLimit(.minutes(1)))
struct HistoryMemoryTests {
    private static let session = SessionID(digestPrefix: 1)

    @Test func `what memory has is in no gap of a page, though it has left the ring and no file has it`()
        async throws
    {
        try await withTemporaryDirectory { directory in
            let (feed, oldest) = try EventFeed.reachingBehindRing(in: directory, Self.session)
            defer { feed.close() }
            let threads = NIOThreadPool(numberOfThreads: 1)
            threads.start()
            let catalogue = SessionCatalogue()
            let history = HistoryReader(
                feed: feed, archive: EventArchive(feed: feed, catalogue: catalogue), catalogue: catalogue,
                threads: HistoryReader.Threads(ring: threads, files: FileThreads(most: 1), kind: "history"),
                secrets: [])

            for reader in [history, history.exact] {
                for window in [HistoryReader.Window.after(0), .before(.max)] {
                    let page = try await reader.page(Self.session, window, limit: 400)
                    expect(page, tells: oldest...400)
                }
            }
            try await threads.shutdownGracefully()
        }
    }

    /// Expects all of `numbers` as events, and gaps before them alone.
    private func expect(_ page: HistoryPage, tells numbers: ClosedRange<Int64>) {
        var told: [Int64] = []
        for piece in page.pieces {
            switch piece {
            case .events(let slice): told += slice.firstSeq...slice.lastSeq
            case .gap(let gap): #expect(gap.to < numbers.lowerBound)
            }
        }
        #expect(told == Array(numbers))
    }
}
