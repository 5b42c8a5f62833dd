import Foundation
import RalphTestSupport
import Synchronization
import Testing

@testable import RalphFeed

@Suite(.timeLimit(.minutes(1)))
struct NamedThreadTests {
    private final class Held: Sendable {}

    @Test(arguments: [false, true])
    func `work is done on a thread that bears its name, and is let go`(isUrgent: Bool) async throws {
        let name = Mutex("")
        weak var held: Held?
        do {
            let object = Held()
            held = object
            try NamedThread.start("some-work", isUrgent: isUrgent) {
                withExtendedLifetime(object) {}
                // Whoever cannot open the file has a name as well.
                let text = try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)
                name.withLock { $0 = text ?? "some-work\n" }
            }
        }

        try await eventually(within: .seconds(10)) { name.withLock(\.self) == "some-work\n" && held == nil }
    }

    @Test func `a thread that cannot be started says which, and why`() {
        let text = ThreadError(name: "accept", code: EAGAIN).description
        #expect(text.contains("accept") && text.contains("temporarily unavailable"))
    }
}
