import Dispatch
import RalphFeed
import RalphWire
import Synchronization

/// What the ingest thread leaves for one event loop: blocks of sessions that somebody there follows.
///
/// Bounded: above ``maximumBytes`` the blocks are let go and ``Delivery/hasOverflowed`` is set; the streams
/// then read on from their cursors, so nothing is lost.
final class ShardInbox: Sendable {
    /// Bytes of frames waiting for the event loop.
    static let maximumBytes = 8 << 20

    /// What one drain takes.
    struct Delivery {
        var blocks: [EventBlock]
        var hasOverflowed: Bool
    }

    private struct State {
        var blocks: [EventBlock] = []
        var bytes = 0
        var hasOverflowed = false
        var isScheduled = false
        /// The loop sends what it took, or rests from that.
        var isWorking = false
        /// Whoever waits for the next ``ShardInbox/take()``.
        var waiter: DispatchSemaphore?
        var followers: [SessionID: Int] = [:]
        var followersOfAll = 0
    }

    private let state = Mutex(State())

    /// Counts a stream that is at the head in (+1) or out (-1), so that only loops with listeners are woken.
    func adjustFollowers(of source: StreamOptions.Source, by difference: Int) {
        state.withLock { state in
            switch source {
            case .all: state.followersOfAll += difference
            case .session(let id):
                let count = state.followers[id, default: 0] + difference
                state.followers[id] = count > 0 ? count : nil
            }
        }
    }

    /// Adds what concerns this loop; `true` if the loop must be told to drain.
    func add(_ blocks: [EventBlock]) -> Bool {
        state.withLock { state in
            for block in blocks where state.followersOfAll > 0 || state.followers[block.session] != nil {
                if state.bytes + block.bytes.count > Self.maximumBytes, !state.blocks.isEmpty {
                    state.blocks = []
                    state.bytes = 0
                    state.hasOverflowed = true
                }
                state.blocks.append(block)
                state.bytes += block.bytes.count
            }
            guard !state.blocks.isEmpty || state.hasOverflowed, !state.isScheduled else { return false }
            state.isScheduled = true
            return true
        }
    }

    /// What was taken is sent; `true` if something came meanwhile.
    func finishWork() -> Bool {
        state.withLock { state in
            state.isWorking = state.isScheduled
            return state.isScheduled
        }
    }

    /// Where the loop is at work and something lies here already, returns when it has taken that, or at the deadline.
    /// For one thread.
    func waitUntilTaken(before deadline: DispatchTime) {
        let waiter: DispatchSemaphore? = state.withLock { state in
            guard state.isScheduled, state.isWorking else { return nil }
            state.waiter = DispatchSemaphore(value: 0)
            return state.waiter
        }
        // Too late is no failure: the events lie in the inbox, and the next ones go behind them.
        _ = waiter?.wait(timeout: deadline)
    }

    /// Takes everything; called on the loop.
    func take() -> Delivery {
        state.withLock { state in
            state.waiter.take()?.signal()
            let delivery = Delivery(blocks: state.blocks, hasOverflowed: state.hasOverflowed)
            state.blocks = []
            state.bytes = 0
            state.hasOverflowed = false
            state.isScheduled = false
            state.isWorking = true
            return delivery
        }
    }
}
