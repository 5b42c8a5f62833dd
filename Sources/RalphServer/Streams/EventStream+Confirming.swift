import CRalphSockets
import NIOCore

// What the other end has confirmed of what was sent.
extension EventStream {
    /// Whether the socket is this connection's still. Not in a callback of its closing.
    private var isConnected: Bool {
        guard let channel = context?.channel else { return false }
        return channel.isActive && channel.parent?.isActive ?? true
    }

    /// Follows what the other end confirms, a second behind: what was on its way, or waited to be read, when a
    /// connection breaks counts as lost, because a repeated event is cosmetic and a lost one is not.
    func noteConfirmed() {
        guard confirmedCursor < takenCursor, client != nil, isConnected else { return }
        var sent: Int64 = 0
        let acknowledged = ralph_acknowledged(socket, &sent)
        if let awaited {
            // What was confirmed while it was asked for counts twice in what is awaited.
            guard acknowledged >= awaited.bytes || acknowledged == sent, acknowledged >= 0 else { return }
            confirmedCursor = awaited.cursor
        }
        awaited = acknowledged < 0 ? nil : (takenCursor, sent)
    }

    /// The client or the server closes; if every byte is confirmed, the client has got everything.
    func noteSeen() {
        guard seenCursor == nil, client != nil, isConnected, takenCursor == cursor,
            ralph_unacknowledged(socket) == 0
        else { return }
        seenCursor = takenCursor
    }

    /// Whether the other end has confirmed nothing of what waits in the kernel for as long as a stall may last: it takes
    /// nothing, or is gone without a word, as a phone that changes its network. The kernel itself gives up after a quarter
    /// of an hour (tcp(7), `tcp_retries2`); told to give up earlier (`TCP_USER_TIMEOUT`), it cuts those who take slowly.
    ///
    /// Looks every ``PeerSilence/interval``, each stream in a second of its own.
    func isDeserted(at second: Int64) -> Bool {
        guard (second + Int64(socket)) % PeerSilence.interval == 0, isConnected else { return false }
        silence.note(ralph_awaiting(socket), second: second)
        return silence.length(at: second) >= shard.services.limits.stallSeconds
    }
}
