import Foundation
import RalphTestSupport
import Testing

@testable import RalphControl

@Suite(.timeLimit(.minutes(1))) struct LeftChildrenTests {
    @Test func `what is left is reaped when it has ended`() async throws {
        try await withChildren { _, start in
            let child = try start("exec sleep 60", [:])
            let count = LeftChildren.count
            LeftChildren.keep(child.handle)
            LeftChildren.reap()
            #expect(LeftChildren.count == count + 1)

            child.handle.signal(SIGKILL)
            try await eventually(within: .seconds(10), "its end") { child.handle.isOver }
            LeftChildren.reap()
            #expect(LeftChildren.count == count && kill(child.pid, 0) != 0)
        }
    }
}
