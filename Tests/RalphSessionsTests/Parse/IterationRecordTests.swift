import Testing

@testable import RalphSessions

@Suite struct IterationRecordTests {
    @Test(arguments: 0..<4, 0..<4) func `an iteration is found in its run alone`(_ run: Int, _ number: Int) {
        // Rows may take numbers back, so a run may have one twice, and none in order.
        let places = [(0, 1), (1, 1), (1, 2), (2, 3), (2, 1), (2, 3), (2, 2)]
        let records = places.map { IterationRecord(run: $0.0, number: $0.1, hat: "", startedAt: nil) }

        let found = records.index(of: number, run: run)

        #expect(found == places.lastIndex { $0 == (run, number) })
    }

    @Test func `among no records there is none`() {
        #expect([IterationRecord]().index(of: 1, run: 1) == nil)
    }
}
