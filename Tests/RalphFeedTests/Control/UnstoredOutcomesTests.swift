import RalphTestSupport
import Testing

@testable import RalphFeed

struct UnstoredOutcomesTests {
    @Test func `of more outcomes than are kept the oldest go and are counted`() {
        var outcomes = UnstoredOutcomes()
        let last = Int64(UnstoredOutcomes.maximum) + 3
        for id in 1...last {
            outcomes[id] = UnstoredOutcomes.Outcome(
                outcome: "accepted", status: 200, detail: nil, concludedAt: id)
        }

        #expect(outcomes.kept.count == UnstoredOutcomes.maximum)
        #expect(outcomes.lost == 3)
        #expect(outcomes[3] == nil && outcomes[4] != nil)

        outcomes[last] = nil
        #expect(outcomes.kept.count == UnstoredOutcomes.maximum - 1)
    }

    @Test func `outcomes that are neither stored nor kept are counted by the ledger`() async throws {
        try await withTemporaryDirectory { directory in
            try withFeed(settings(directory)) { feed in
                try directory.execute("ALTER TABLE command RENAME TO away")
                #expect(feed.ledger.lostOutcomes == 0)
                for id in 1...Int64(UnstoredOutcomes.maximum) + 2 {
                    #expect(throws: StoreError.self) {
                        try feed.ledger.conclude(id, outcome: "accepted", status: 200, detail: nil, at: id)
                    }
                }
                #expect(feed.ledger.lostOutcomes == 2)
            }
        }
    }
}
