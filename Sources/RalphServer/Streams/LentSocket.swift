import Foundation
import NIOCore
import RalphWire
import Synchronization

/// The socket of a stream that is at the head, while the ingest thread writes to it instead of the event loop.
struct LentSocket: Sendable {
    fileprivate let group: LentGroup
    fileprivate let number: Int

    var session: SessionID { group.session }

    /// The last event that the connection has taken whole.
    var taken: Int64 { group.taken(number) }

    /// Ends the loan; on the stream's loop.
    ///
    /// - Returns: `nil` if it has ended already.
    func takeBack() -> LentGroup.Outcome? { group.takeBack(number) }
}

/// The sockets that streams of one session have lent.
///
/// Each is a descriptor of its own (dup(2)): the channel may close its one at any moment, and the number may be another
/// connection's then. Only whoever holds the lock writes, and only to those that no stream has taken back.
final class LentGroup: Sendable {
    /// What became of a loan.
    struct Outcome: Sendable {
        /// The last event that the connection has taken whole.
        var taken: Int64
        /// The last event of what was begun to be sent.
        var cursor: Int64
        /// What the connection did not take of it, which comes before anything else.
        var rest: ByteBuffer?
    }

    private struct Loan {
        let number: Int
        let descriptor: Int32
        let onReturn: @Sendable () -> Void
        var outcome: Outcome
        /// The stream was told to take it back; nothing is sent any more.
        var isReturned = false
    }

    private struct State {
        var loans: [Loan] = []
        var lastNumber = 0
        /// Whom the send at hand is for; kept for their memory.
        var places: [Int] = []
        var descriptors: [Int32] = []
    }

    let session: SessionID
    /// Held while one chunk is sent to all of them.
    private let state = Mutex(State())

    init(session: SessionID) { self.session = session }

    deinit {
        state.withLock { state in
            for loan in state.loans { close(loan.descriptor) }
        }
    }

    /// Takes a socket that does not block; `nil` where no descriptor is left.
    ///
    /// - Parameters:
    ///   - descriptor: of the connection; nothing may wait to be written to it.
    ///   - cursor: what was sent up to now.
    ///   - onReturn: called on the ingest thread, once at most: the stream is to take it back soon.
    func lend(_ descriptor: Int32, cursor: Int64, onReturn: @escaping @Sendable () -> Void) -> LentSocket? {
        let own = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
        guard own >= 0 else { return nil }
        return state.withLock { state in
            state.lastNumber += 1
            let outcome = Outcome(taken: cursor, cursor: cursor)
            state.loans.append(
                Loan(number: state.lastNumber, descriptor: own, onReturn: onReturn, outcome: outcome))
            return LentSocket(group: self, number: state.lastNumber)
        }
    }

    /// Sends a chunk of the events `first ... last` to those for whom they continue what was sent; on the ingest thread.
    ///
    /// - Returns: what tells the streams of the others, and of those who did not take all, to take their sockets back.
    func send(
        _ chunk: ByteBuffer, from first: Int64, through last: Int64, by sender: inout SharedSend
    ) -> [@Sendable () -> Void] {
        state.withLock { state in
            state.places.removeAll(keepingCapacity: true)
            state.descriptors.removeAll(keepingCapacity: true)
            var returns: [@Sendable () -> Void] = []
            for place in state.loans.indices where !state.loans[place].isReturned {
                let cursor = state.loans[place].outcome.cursor
                if cursor + 1 == first {
                    state.places.append(place)
                    state.descriptors.append(state.loans[place].descriptor)
                } else if cursor < last {
                    state.loans[place].isReturned = true
                    returns.append(state.loans[place].onReturn)
                }
            }
            let rests = sender.send(chunk, to: state.descriptors)
            for (index, place) in state.places.enumerated() {
                state.loans[place].outcome.cursor = last
                if let rest = rests[index] {
                    state.loans[place].outcome.rest = rest
                    state.loans[place].isReturned = true
                    returns.append(state.loans[place].onReturn)
                } else {
                    state.loans[place].outcome.taken = last
                }
            }
            return returns
        }
    }

    /// Gives all sockets back to their streams, which go on from their cursors.
    func giveBack() {
        let returns = state.withLock { state in
            let kept = state.loans.indices.filter { !state.loans[$0].isReturned }
            for place in kept { state.loans[place].isReturned = true }
            return kept.map { state.loans[$0].onReturn }
        }
        for onReturn in returns { onReturn() }
    }

    fileprivate func taken(_ number: Int) -> Int64 {
        state.withLock { state in state.loans.first { $0.number == number }?.outcome.taken ?? 0 }
    }

    fileprivate func takeBack(_ number: Int) -> Outcome? {
        let loan: Loan? = state.withLock { state in
            let place = state.loans.firstIndex { $0.number == number }
            return place.map { state.loans.remove(at: $0) }
        }
        // Nobody finds it any more.
        if let loan { close(loan.descriptor) }
        return loan?.outcome
    }
}
