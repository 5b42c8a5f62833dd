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
}
