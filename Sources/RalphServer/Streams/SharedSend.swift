import CRalphSockets
import NIOCore

/// Sends the same bytes to many sockets with one system call, where the kernel offers that (io_submit(2)), else with one
/// for each.
///
/// A reader that the first send wakes, and that shares the core with the sender, would interrupt it at each of them;
/// now it reads when all have been sent. For one thread at a time.
struct SharedSend: ~Copyable {
    private var queue: UInt64
    private var sent: [Int64] = []

    /// Whether the kernel has given a queue, and it is in use.
    var isQueued: Bool { queue != 0 }

    /// - Parameter isQueued: `false`: a system call for each socket.
    init(isQueued: Bool = true) { queue = isQueued ? ralph_queue_open() : 0 }

    deinit { ralph_queue_close(queue) }

    /// Sends what the sockets take now.
    ///
    /// - Parameter sockets: descriptors that do not block and that nobody closes meanwhile.
    /// - Returns: what is left of `buffer`, by the index of those that did not take all of it. An error leaves
    ///   everything; the next write meets it too.
    mutating func send(_ buffer: ByteBuffer, to sockets: [Int32]) -> [Int: ByteBuffer] {
        while sent.count < sockets.count { sent.append(0) }
        buffer.withUnsafeReadableBytes { bytes in
            ralph_queue_send(&queue, sockets, Int32(sockets.count), bytes.baseAddress, bytes.count, &sent)
        }
        var rests: [Int: ByteBuffer] = [:]
        for index in sockets.indices where sent[index] < buffer.readableBytes {
            var rest = buffer
            rest.moveReaderIndex(forwardBy: max(0, Int(sent[index])))
            rests[index] = rest
        }
        return rests
    }
}
