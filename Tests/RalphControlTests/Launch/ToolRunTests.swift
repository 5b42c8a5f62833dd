import Foundation
import RalphControl
import RalphTestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ToolRunTests {
    private func tool(_ script: String, in directory: TemporaryDirectory) -> ToolRun {
        ToolRun(
            program: "/bin/sh", arguments: ["-c", script], directory: directory.path,
            environment: ["PATH": "/usr/bin:/bin"], output: directory.path + "/tool.log")
    }

    @Test(arguments: [
        ("pwd; echo done", Int32(0), "done"), ("echo why >&2; exit 3", 3, "why"), ("true", 0, nil),
    ])
    func `it says how it ended and what it said last`(
        _ script: String, _ code: Int32, _ line: String?
    ) async throws {
        try await withTemporaryDirectory { directory in
            let outcome = try await tool(script, in: directory).run(until: .now + .seconds(20))
            #expect(outcome.exit?.code == code)
            #expect(outcome.lastLine == line)
        }
    }

    @Test func `a program that is not there is said to be missing`() async throws {
        try await withTemporaryDirectory { directory in
            var tool = tool("", in: directory)
            tool.program = directory.path + "/nothing"
            await #expect(throws: ControlError.self) {
                try await tool.run(until: .now + .seconds(20))
            }
        }
    }

    @Test func `at the deadline it is left alone with its children`() async throws {
        try await withTemporaryDirectory { directory in
            // Opening a FIFO waits for its other end.
            let outcome = try await tool("mkfifo go; cat go & echo $!; wait", in: directory).run(
                until: .now + .seconds(2))
            let child = try #require(Int32(outcome.lastLine ?? ""))
            #expect(outcome.exit == nil)
            #expect(ProcessIdentity(pid: child) != nil)
            try directory.append("go", "")
            try await eventually(within: .seconds(10), "end") { ProcessIdentity(pid: child) == nil }
        }
    }
}
