import NIOCore
import RalphFeed
import RalphWire
import Synchronization

/// The sockets that the ingest thread writes to by itself, a few of each session: for so few, waking an event loop would
/// cost more than sending.
///
/// Bounded; whoever finds no room is written to by its loop.
final class LentSockets: Sendable {
    /// Of one session.
    static let maximumPerSession = 8
    /// What the ingest thread sends to one socket at once, in bytes; more is the loops' work.
    static let maximumBytes = 64 * 1024
    /// To how many sockets it sends what one append brought; more are the loops' work, which is shared out to them.
    static let maximumSends = 64

    private struct State {
        var bySession: [SessionID: [LentSocket]] = [:]
        var count = 0
    }

    private let state = Mutex(State())
    private let maximum: Int

    /// - Parameter maximum: of all sessions.
    init(maximum: Int) { self.maximum = maximum }

    /// How many are lent now.
    var count: Int { state.withLock { $0.count } }

    /// Takes a socket; `nil` where there is no room. See ``LentSocket/init(session:descriptor:cursor:onReturn:)``.
    func lend(
        _ descriptor: Int32, of session: SessionID, cursor: Int64, onReturn: @escaping @Sendable () -> Void
    ) -> LentSocket? {
        state.withLock { state in
            guard state.count < maximum,
                state.bySession[session, default: []].count < Self.maximumPerSession,
                let socket = LentSocket(
                    session: session, descriptor: descriptor, cursor: cursor, onReturn: onReturn)
            else { return nil }
            state.bySession[session, default: []].append(socket)
            state.count += 1
            return socket
        }
    }

    /// Forgets a socket that was taken back.
    func remove(_ socket: LentSocket) {
        state.withLock { state in
            guard var sockets = state.bySession[socket.session],
                let index = sockets.firstIndex(where: { $0 === socket })
            else { return }
            sockets.remove(at: index)
            state.bySession[socket.session] = sockets.isEmpty ? nil : sockets
            state.count -= 1
        }
    }

    /// Sends new blocks to those who follow their sessions; on the ingest thread, which waits for nobody here.
    func send(_ blocks: [EventBlock]) {
        var start = 0
        var sends = 0
        while start < blocks.count {
            let session = blocks[start].session
            let sockets = state.withLock { $0.bySession[session] }
            var end = start + 1
            while end < blocks.count, blocks[end].session == session { end += 1 }
            if let sockets {
                sends += sockets.count
                send(blocks[start..<end], to: sockets, isTooMuch: sends > Self.maximumSends)
            }
            start = end
        }
    }

    private func send(_ blocks: ArraySlice<EventBlock>, to sockets: [LentSocket], isTooMuch: Bool) {
        guard let first = blocks.first, let last = blocks.last else { return }
        let bytes = blocks.reduce(0) { $0 + $1.bytes.count }
        guard !isTooMuch, bytes <= Self.maximumBytes else {
            for socket in sockets { socket.giveBack() }
            return
        }
        let chunk = ChunkFraming.chunk(of: blocks, bytes: bytes)
        for socket in sockets { socket.send(chunk, from: first.firstSeq, through: last.lastSeq) }
    }
}
