import Foundation
import RalphTestSupport
import Testing

@testable import RalphControl

@Suite(.timeLimit(.minutes(1)))
struct LastLineTests {
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
