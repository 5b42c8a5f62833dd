import RalphWire
import Testing

@testable import RalphServer

struct ExportBodyTests {
    @Test func `a page of gaps alone has an end too`() throws {
        let gaps = (1...100).map { StreamGap(from: $0, to: $0, reason: .retention) }
        var page = HistoryPage(session: try #require(SessionID("00000000000000b0")), first: 1)
        page.pieces = gaps.map { .gap($0) }
        var body = ExportBody(after: 0, chain: HashChain(), maximumBytes: 1000, maximumEvents: 10)
        body.add(page)

        #expect(body.isFull && body.gaps < 20)
        #expect(body.through == Int64(body.gaps))
    }
}
