import Foundation
import NIOCore
import RalphWire
import Synchronization

/// The socket of a stream that is at the head, while the ingest thread writes to it instead of the event loop.
///
/// It is a descriptor of its own (dup(2)): the channel may close its one at any moment, and the number may be another
/// connection's then. Only whoever holds the lock writes, and only as long as the stream has not taken it back.
final class LentSocket: Sendable {
    private struct State {
        /// `nil` when the stream has taken it back.
        var descriptor: Int32?
        /// The last event that the connection has taken whole.
        var taken: Int64
        /// The last event of what was begun to be sent.
        var cursor: Int64
        /// What the connection did not take of it; nothing is sent behind that.
        var rest: ByteBuffer?
        /// The stream was told to take it back.
        var isReturned = false
    }

    let session: SessionID
    private let state: Mutex<State>
    private let onReturn: @Sendable () -> Void

    /// - Parameters:
    ///   - descriptor: of the connection; nothing may wait to be written to it.
    ///   - cursor: what was sent up to now.
    ///   - onReturn: called on the ingest thread, once at most: the stream is to take it back soon.
    init?(session: SessionID, descriptor: Int32, cursor: Int64, onReturn: @escaping @Sendable () -> Void) {
        let own = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
        guard own >= 0 else { return nil }
        self.session = session
        self.onReturn = onReturn
        state = Mutex(State(descriptor: own, taken: cursor, cursor: cursor))
    }

    deinit { _ = takeBack() }

    /// The last event that the connection has taken.
    var taken: Int64 { state.withLock { $0.taken } }

    /// Sends a chunk of the events `first ... last` if they continue what was sent; else gives the socket back.
    func send(_ chunk: ByteBuffer, from first: Int64, through last: Int64) {
        let mustReturn = state.withLock { state in
            guard let descriptor = state.descriptor, !state.isReturned, last > state.cursor else {
                return false
            }
            if state.cursor + 1 == first {
                state.rest = DirectSocket(descriptor: descriptor).send(chunk)
                state.cursor = last
                if state.rest == nil {
                    state.taken = last
                    return false
                }
            }
            state.isReturned = true
            return true
        }
        if mustReturn { onReturn() }
    }

    /// Gives the socket back to its stream, which goes on from the cursor.
    func giveBack() {
        let mustReturn = state.withLock { state in
            guard state.descriptor != nil, !state.isReturned else { return false }
            state.isReturned = true
            return true
        }
        if mustReturn { onReturn() }
    }

    /// Ends the loan; on the stream's loop.
    ///
    /// - Returns: the last event taken, the last one of what was sent, and the rest of that, which comes before anything
    ///   else.
    func takeBack() -> (taken: Int64, cursor: Int64, rest: ByteBuffer?) {
        state.withLock { state in
            if let descriptor = state.descriptor { close(descriptor) }
            state.descriptor = nil
            defer { state.rest = nil }
            return (state.taken, state.cursor, state.rest)
        }
    }
}
