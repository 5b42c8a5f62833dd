import Dispatch
import RalphFeed
import RalphWire
import Testing

@testable import RalphServer

@Suite(.timeLimit(.minutes(1)))
struct ShardInboxTests {
    private let inbox = ShardInbox()
    private let never = DispatchTime.distantFuture

    init() { inbox.adjustFollowers(of: .all, by: 1) }

    @Test func `nobody waits for a loop that has not been told yet or is at rest`() {
        inbox.waitUntilTaken(before: never)
        #expect(inbox.add(Self.blocks))
        inbox.waitUntilTaken(before: never)
    }

    @Test func `nobody waits for a loop that sends and has nothing more to take`() {
        #expect(inbox.add(Self.blocks))
        _ = inbox.take()
        inbox.waitUntilTaken(before: never)
        #expect(!inbox.finishWork())
    }

    @Test func `a loop at work that has more to take is waited for until it takes`() async {
        #expect(inbox.add(Self.blocks))
        _ = inbox.take()
        #expect(inbox.add(Self.blocks))
        #expect(inbox.finishWork())
        let waiting = Task { [inbox, never] in inbox.waitUntilTaken(before: never) }

        #expect(inbox.take().blocks.count == 1)
        await waiting.value
        #expect(!inbox.finishWork())
    }

    @Test func `the wait has an end`() {
        #expect(inbox.add(Self.blocks))
        _ = inbox.take()
        #expect(inbox.add(Self.blocks))
        let start = DispatchTime.now()
        inbox.waitUntilTaken(before: start + .milliseconds(20))
        // By another clock than the kernel's, which may be a little ahead.
        #expect(DispatchTime.now() >= start + .milliseconds(10))
        #expect(inbox.take().blocks.count == 1)
    }

    private static let blocks = MadeBlocks.blocks(1, of: SessionID(digestPrefix: 1))
}
