import NIOCore
import RalphFeed
import RalphWire
import Synchronization

/// The sockets that the ingest thread writes to by itself: those of sessions that few follow, where waking an event loop
/// would cost more than sending.
///
/// Bounded; whoever finds no room is written to by its loop. Of a session with more followers none is lent: the loops are
/// woken for it anyway, and share the work.
final class LentSockets: Sendable {
    /// How many may follow a session whose streams lend their sockets.
    static let maximumFollowers = 128
    /// What the ingest thread sends to one socket at once, in bytes; more is the loops' work.
    static let maximumBytes = 64 * 1024
    /// To how many sockets it sends what one append brought; more are the loops' work, which is shared out to them.
    static let maximumSends = 128

    /// What there is of one session.
    private struct Following {
        let group: LentGroup
        /// All streams, lent or not.
        var followers = 0
        /// How many are lent.
        var count = 0

        var isCrowded: Bool { followers > LentSockets.maximumFollowers }
    }

    private struct State {
        var bySession: [SessionID: Following] = [:]
        var count = 0
    }

    private let state = Mutex(State())
    /// For the ingest thread.
    private let sender = Mutex(SharedSend())
    private let maximum: Int

    /// - Parameter maximum: of all sessions.
    init(maximum: Int) { self.maximum = maximum }

    /// Whether one system call writes to many sockets.
    var isQueued: Bool { sender.withLock { $0.isQueued } }

    /// How many are lent now.
    var count: Int { state.withLock { $0.count } }

    /// Counts a stream of `session` in (+1) or out (-1); one that is lent was taken back before.
    func adjustFollowers(of session: SessionID, by difference: Int) {
        state.withLock { state in
            if state.bySession[session] == nil {
                state.bySession[session] = Following(group: LentGroup(session: session))
            }
            state.bySession[session]?.followers += difference
            if state.bySession[session]?.followers == 0 { state.bySession[session] = nil }
        }
    }

    /// Takes a socket of a stream that was counted in; `nil` where there is no room.
    /// See ``LentGroup/lend(_:cursor:onReturn:)``.
    func lend(
        _ descriptor: Int32, of session: SessionID, cursor: Int64, onReturn: @escaping @Sendable () -> Void
    ) -> LentSocket? {
        let group: LentGroup? = state.withLock { state in
            guard state.count < maximum, let following = state.bySession[session], !following.isCrowded
            else { return nil }
            state.count += 1
            state.bySession[session]?.count += 1
            return following.group
        }
        guard let group else { return nil }
        let socket = group.lend(descriptor, cursor: cursor, onReturn: onReturn)
        if socket == nil { noteEnd(of: session) }
        return socket
    }

    /// Ends the loan of a socket; on the stream's loop.
    func takeBack(_ socket: LentSocket) -> LentGroup.Outcome? {
        guard let outcome = socket.takeBack() else { return nil }
        noteEnd(of: socket.session)
        return outcome
    }

    private func noteEnd(of session: SessionID) {
        state.withLock { state in
            state.bySession[session]?.count -= 1
            state.count -= 1
        }
    }

    /// Sends new blocks to those who follow their sessions; on the ingest thread, which waits for no client here.
    func send(_ blocks: [EventBlock]) {
        var start = 0
        var sends = 0
        while start < blocks.count {
            let session = blocks[start].session
            let following = state.withLock { $0.bySession[session] }
            var end = start + 1
            while end < blocks.count, blocks[end].session == session { end += 1 }
            if let following, following.count > 0 {
                sends += following.count
                send(
                    blocks[start..<end], to: following.group,
                    isTooMuch: following.isCrowded || sends > Self.maximumSends)
            }
            start = end
        }
    }

    private func send(_ blocks: ArraySlice<EventBlock>, to group: LentGroup, isTooMuch: Bool) {
        guard let first = blocks.first, let last = blocks.last else { return }
        let bytes = blocks.reduce(0) { $0 + $1.bytes.count }
        guard !isTooMuch, bytes <= Self.maximumBytes else { return group.giveBack() }
        let chunk = ChunkFraming.chunk(of: blocks, bytes: bytes)
        let returns = sender.withLock { sender in
            group.send(chunk, from: first.firstSeq, through: last.lastSeq, by: &sender)
        }
        for onReturn in returns { onReturn() }
    }
}
