import RalphFeed
import RalphSessions
import RalphWire
import Synchronization

/// Who waits for which row to be published. Costs the ingest thread one atomic load while nobody does.
final class EchoBoard: Sendable {
    private struct Expectation {
        weak var echo: ExpectedEcho?
        let session: SessionID
        /// How the row's event says its marker.
        let member: [UInt8]
    }

    /// More are not waited for: they land as if the time were over.
    static let capacity = 1024

    private let expected = Mutex<[String: Expectation]>([:])
    private let count = Atomic(0)

    init() {}

    /// Waits for the row of `session` whose `id` is `marker` from now on.
    func expect(_ marker: String, in session: SessionID) -> ExpectedEcho {
        let echo = ExpectedEcho(of: marker, board: self)
        let isTaken = expected.withLock { expected in
            guard expected.count < Self.capacity else { return false }
            expected[marker] = Expectation(
                echo: echo, session: session, member: Array("\"id\":\"\(marker)\"".utf8))
            count.store(expected.count, ordering: .sequentiallyConsistent)
            return true
        }
        if !isTaken { echo.settle(nil) }
        return echo
    }

    func forget(_ marker: String) {
        expected.withLock { expected in
            expected[marker] = nil
            count.store(expected.count, ordering: .sequentiallyConsistent)
        }
    }

    /// Looks for what is waited for in `reads`, which have just been published in this order.
    func note(_ reads: [SessionRead], head: (SessionID) -> FeedHead?) {
        guard count.load(ordering: .sequentiallyConsistent) > 0 else { return }
        var behind: [SessionID: Int64] = [:]
        for read in reads.reversed() {
            let last = (head(read.id)?.last ?? 0) - behind[read.id, default: 0]
            behind[read.id, default: 0] += Int64(read.batch.count)
            note(read, firstSeq: last - Int64(read.batch.count) + 1)
        }
    }

    private func note(_ read: SessionRead, firstSeq: Int64) {
        for (index, item) in read.batch.items.enumerated() where item.origin == .user {
            let members = read.batch.bytes[item.members]
            let seq = firstSeq + Int64(index)
            // Settled outside of the lock: the last reference may go there, and with it the expectation.
            let found = expected.withLock { expected in
                expected.values.filter { $0.session == read.id && members.contains($0.member) }
                    .compactMap(\.echo)
            }
            let echo = EventEcho(
                seq: seq, eventID: EventID(session: read.id, seq: seq).description, timestamp: item.timestamp)
            for expectation in found { expectation.settle(echo) }
        }
    }
}
