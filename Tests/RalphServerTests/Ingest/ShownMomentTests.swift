import RalphFeed
import RalphSessions
import RalphTestSupport
import RalphWire
import Synchronization
import Testing

@testable import RalphServer

/// Looks at the catalogue whenever events are published.
private final class MomentSink: BlockSink {
    private let catalogue: SessionCatalogue
    private let record = Mutex((iterations: [Int64: Set<Int>](), late: 0))

    init(_ catalogue: SessionCatalogue) { self.catalogue = catalogue }

    /// How often what was published was not shown yet.
    var late: Int { record.withLock(\.late) }
    /// By newest number: the iterations that were shown as completed with it.
    var iterations: [Int64: Set<Int>] { record.withLock(\.iterations) }

    func deliver(_ blocks: [EventBlock]) {
        for block in blocks {
            look(at: block.session, published: block.lastSeq)
        }
    }

    func look(at id: SessionID, published seq: Int64 = 0) {
        guard let entry = catalogue.entry(id) else { return }
        record.withLock { record in
            if entry.head.last < seq { record.late += 1 }
            record.iterations[entry.head.last, default: []].insert(entry.state.completedIteration)
        }
    }
}

@Suite(.timeLimit(.minutes(1))) struct ShownMomentTests {
    @Test func `what is published is in the status, and the status is of its last number`() async throws {
        try await withIngest { scene in
            let id = scene.id("p")
            let sink = MomentSink(scene.catalogue)
            scene.feed.addSink(sink)
            try scene.write("p", "events.jsonl", "")
            scene.ingest.requestScan()
            for number in 1...100 {
                try scene.append(
                    "p",
                    #"{"ts":"2026-11-21T03:20:36Z","iteration":\#(number),"hat":"loop","topic":"iteration.summary","payload":"{}"}"#
                        + "\n")
                try await eventually(within: .seconds(10), "the summary") {
                    sink.look(at: id)
                    return scene.catalogue.entry(id)?.state.completedIteration == number
                }
            }
            #expect(sink.late == 0)
            #expect(sink.iterations.values.allSatisfy { $0.count == 1 }, "\(sink.iterations)")
            #expect(scene.catalogue.entry(id)?.head == scene.feed.head(of: id))
        }
    }
}
