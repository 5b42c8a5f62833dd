import Logging
import NIOPosix
import RalphFeed
import RalphTestSupport
import RalphWire
import Synchronization
import Testing

@testable import RalphServer

@Suite(.timeLimit(.minutes(1)))
struct HistoryRaceTests {
    private static let session = SessionID(digestPrefix: 1)

    /// The numbers that `page` tells of, as events or as gaps.
    private static func ranges(_ page: HistoryPage) -> [ClosedRange<Int64>] {
        page.pieces.map { piece in
            switch piece {
            case .events(let slice): slice.firstSeq...slice.lastSeq
            case .gap(let gap): gap.from...gap.to
            }
        }
    }

    /// An append of more than the journal takes is in the tables before memory has it, and their ring moves on.
    @Test(arguments: [1 << 20, 32 << 20])
    func `pages have no hole while large appends come`(memoryBytes: Int) async throws {
        try await withTemporaryDirectory { directory in
            var configuration = FeedConfiguration(path: directory.path + "/feed.sqlite")
            configuration.ring = 100
            configuration.walCapBytes = 1 << 20
            configuration.memoryBytes = memoryBytes
            let feed = try EventFeed(configuration, logger: Logger(label: "test"))
            defer { feed.close() }
            let threads = NIOThreadPool(numberOfThreads: 2)
            threads.start()
            let catalogue = SessionCatalogue()
            let reader = HistoryReader(
                feed: feed, archive: EventArchive(feed: feed, catalogue: catalogue), catalogue: catalogue,
                threads: HistoryReader.Threads(ring: threads, files: FileThreads(most: 2), kind: "history"),
                secrets: [])
            try feed.appendNotes(200, to: Self.session)
            let isOver = Atomic(false)
            async let appending: Void = threads.runIfActive {
                defer { isOver.store(true, ordering: .releasing) }
                for _ in 0..<100 { try feed.appendNotes(3000, to: Self.session) }
            }
            while !isOver.load(ordering: .acquiring) {
                let page = try await reader.page(Self.session, .before(.max), limit: 150)
                let ranges = Self.ranges(page)
                #expect(ranges.reduce(0) { $0 + $1.count } == 150)
                #expect(ranges.first?.lowerBound == page.first)
                for (one, other) in zip(ranges, ranges.dropFirst()) {
                    #expect(one.upperBound + 1 == other.lowerBound)
                }
                let newest = try await reader.ofRing.page(Self.session, .before(.max), limit: 10)
                #expect(Self.ranges(newest).reduce(0) { $0 + $1.count } == 10)
            }
            try await appending
            try await threads.shutdownGracefully()
        }
    }
}
