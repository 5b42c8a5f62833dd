import Testing

@testable import RalphSessions

@Suite struct TerminateRowTests {
    @Test(arguments: [
        ("## Reason\ncompleted\n\n## Status\nx", "completed"),
        ("## Reason\n\n  max_iterations \r\n## Status\nx", "max_iterations"),
        ("intro\n##  Reason\nstopped", "stopped"),
        ("## Reason", "unknown"), ("## Reason\n \n", "unknown"), ("completed", "unknown"), ("", "unknown"),
        ("## Reason\n" + String(repeating: "ä", count: 70), String(repeating: "ä", count: 64)),
    ])
    func `the reason is the first line behind its heading`(_ payload: String, _ reason: String) {
        #expect(TerminateRow.reason(in: payload) == reason)
    }
}
