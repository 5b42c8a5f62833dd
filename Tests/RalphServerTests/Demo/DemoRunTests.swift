import RalphControl
import RalphWire
import Testing

@testable import RalphServer

/// When the demo's next run begins.
struct DemoRunTests {
    private func record(
        _ phase: RunRecord.Phase, startedAt: Int64 = 5, stoppedBy by: String? = nil
    ) -> RunRecord {
        var record = RunRecord(session: SessionID(digestPrefix: 1), directory: "/w/.ralph")
        record.phase = phase
        record.startedAt = startedAt
        record.stop = by.map { RunRecord.Request(requestedAt: 6, by: $0) }
        return record
    }

    @Test func `a run follows one that is over, unless somebody stopped that`() {
        #expect(DemoRun.isDue(behind: nil, nil))
        #expect(DemoRun.isDue(behind: record(.ended), nil))
        #expect(DemoRun.isDue(behind: record(.ended, stoppedBy: "demo"), nil))
        #expect(!DemoRun.isDue(behind: record(.ended, stoppedBy: "key"), nil))
        for phase in RunRecord.Phase.allCases where phase != .ended {
            #expect(!DemoRun.isDue(behind: record(phase), nil))
        }
    }

    @Test func `behind a start that somebody stopped a run follows the next one that somebody starts`() {
        let unwanted = DemoRun.Unwanted(startedAt: 5)
        #expect(!DemoRun.isDue(behind: record(.ended), unwanted))
        #expect(!DemoRun.isDue(behind: record(.running, startedAt: 7), unwanted))
        #expect(DemoRun.isDue(behind: record(.ended, startedAt: 7), unwanted))
        #expect(!DemoRun.isDue(behind: nil, DemoRun.Unwanted(startedAt: nil)))
    }
}
