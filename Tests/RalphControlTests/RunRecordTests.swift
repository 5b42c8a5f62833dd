import Foundation
import RalphControl
import RalphWire
import Testing

@Test func `a run record survives being stored`() throws {
    var record = RunRecord(session: SessionID(digestPrefix: 7), directory: "/w/.ralph")
    record.plan = LaunchPlan(workspace: "/w", prompt: .text("do it"))
    record.process = ProcessIdentity(pid: 4, startTicks: 99, bootID: "b")

    let stored = try JSONEncoder().encode(record)

    #expect(try JSONDecoder().decode(RunRecord.self, from: stored) == record)
}
