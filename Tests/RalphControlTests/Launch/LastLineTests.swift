import Foundation
import RalphTestSupport
import Testing

@testable import RalphControl

@Suite(.timeLimit(.minutes(1)))
struct LastLineTests {
    @Test func `who ends behind Ralph's greeting said nothing`() {
        let greeting = """
              scratchpad: .ralph/agent/scratchpad.md
              resume:     ralph run --continue --loop-id primary-1

            """
        #expect(LastLine.of(Array(greeting.utf8)) == nil)
        #expect(LastLine.of(Array((greeting + "Error: no backend\n").utf8)) == "Error: no backend")
    }

    @Test func `a pipe in the place of an output says nothing, and nobody waits for it`() async throws {
        try await withTemporaryDirectory { directory in
            let path = try directory.write("output", "first\nlast\n\n")
            #expect(LastLine.of(path) == "last")
            try directory.remove("output")
            try #require(mkfifo(path, 0o600) == 0)

            #expect(LastLine.of(path) == nil)
        }
    }
}
