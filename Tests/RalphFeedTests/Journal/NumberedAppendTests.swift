import RalphTestSupport
import RalphWire
import Testing

@testable import RalphFeed

struct NumberedAppendTests {
    private func numbered(_ batch: EventBatch, from seq: Int64, session: UInt64 = 1) -> NumberedAppend {
        let head = FeedHead(
            last: seq + Int64(batch.items.count) - 1, lastGlobalID: seq)
        return NumberedAppend(
            append: append(batch, to: session), firstSeq: seq, firstGlobalID: seq, head: head)
    }

    @Test(arguments: [0, 1]) func `events of one session wait together up to 32 KiB`(_ excess: Int) {
        let small = batch(1)
        let padding = 32 * 1024 - 2 * small.bytes.count + excess
        var piece = numbered(small, from: 1)
        let isTakenIn = piece.extend(by: numbered(batch(1, padding: padding), from: 2))
        #expect(isTakenIn == (excess == 0))
        #expect(piece.append.batch.items.count == 2 - excess && piece.head.last == Int64(2 - excess))
    }

    @Test func `another session's events are a piece of their own`() {
        var piece = numbered(batch(1), from: 1)
        let isTakenIn = piece.extend(by: numbered(batch(1), from: 2, session: 2))
        #expect(!isTakenIn)
    }
}
