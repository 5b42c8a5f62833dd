import RalphFeed
import RalphWire
import Testing

@testable import RalphServer

struct IngestFiguresTests {
    private func append(_ origins: [EventOrigin]) -> SessionAppend {
        var batch = EventBatch()
        for origin in origins {
            batch.items.append(
                EventBatch.Item(
                    members: 0..<0, topic: 0..<0, type: 0..<0, timestamp: 0, origin: origin, offset: -1,
                    context: -1))
        }
        return SessionAppend(id: SessionID(digestPrefix: 1), directory: "/w/.ralph", batch: batch)
    }

    @Test func `each event counts once, where it comes from`() {
        let figures = IngestFigures()
        figures.note(
            [append([.engine, .user]), append([.engine, .server])], of: [], took: .milliseconds(2))
        figures.note([append([.agent])], of: [], took: .seconds(40))

        let all = figures.all
        #expect(
            Dictionary(uniqueKeysWithValues: zip(EventOrigin.allCases, all.events)) == [
                .engine: 2, .agent: 1, .server: 1, .user: 1,
            ])
        #expect(all.appends.count == 2)
        #expect(all.appends.sum == 40.002)
        #expect(all.appends.counts.last == 1)
    }

    @Test func `what failed is counted apart`() {
        let figures = IngestFigures()
        figures.noteFailure()

        #expect(figures.all.failures == 1)
        #expect(figures.all.appends.count == 0)
    }
}
