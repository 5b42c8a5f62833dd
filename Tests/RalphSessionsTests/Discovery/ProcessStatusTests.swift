import Foundation
import RalphTestSupport
import Testing

@testable import RalphSessions

struct ProcessStatusTests {
    @Test(arguments: ["sh", "a b", "a) R 1 (b", "(", ")", "", "ünï\ncode", "\u{1F600}"])
    func `a process may have any name`(_ name: String) throws {
        let tail = "S 7 41 40 0 -1 0 1 2 3 4 30 12 5 6 20 0 1 0 777 9999 321 18446744073709551615 0 0"

        let status = try #require(ProcessStatus(stat: Array("42 (\(name)) \(tail)\n".utf8)))

        #expect(status.name == name)
        #expect((status.pid, status.parent, status.group, status.session) == (42, 7, 41, 40))
        #expect((status.ticks, status.startTicks, status.residentPages) == (42, 777, 321))
        #expect(!status.isOver)
    }

    @Test(arguments: [
        "", "42", "42 (a", "42 a) S", "x (a) S 1 1", "42 (a) S 1 2 3", ")(", ")42 (", "42 (a)",
        "42 (a) S x 1 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 1 0 0",
        "x (a) S 1 1 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 1 0 0",
    ])
    func `what is no such line is none`(_ text: String) {
        #expect(ProcessStatus(stat: Array(text.utf8)) == nil)
    }

    @Test func `a process that is not shown is there as long as a signal finds it`() async throws {
        try await withTemporaryDirectory { empty in
            let hidden = try #require(RunningProcess(pid: getpid(), in: empty.path))

            #expect(
                hidden.canHaveStarted(by: EntryStatus.now() / 1_000_000) && hidden.canHaveStarted(by: nil))
            // The system had not started then.
            #expect(!hidden.canHaveStarted(by: 1))
            #expect(RunningProcess(pid: .max, in: empty.path) == nil)
            #expect(!RunningProcess.isHidden(getpid()) && !RunningProcess.isHidden(.max))
        }
    }
}
