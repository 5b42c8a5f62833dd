import Foundation
import NIOCore
import Synchronization

// The end of a stream that is not whole.
extension EventStream {
    /// Ends the stream because the server cannot go on with it; what was to end at the head and is not there is broken off.
    func endEarly(retryMilliseconds: Int) {
        takeBack()
        guard !options.isFollowing else { return end(retryMilliseconds: retryMilliseconds) }
        if let stopAt, search == nil, cursor >= stopAt {
            end(retryMilliseconds: nil)
        } else {
            breakOff(retryMilliseconds: retryMilliseconds)
        }
    }

    /// Closes behind what was written, without the end that a body has: the client must meet an error, since
    /// it would take what it has got for everything. With a retry time it is told when to come back.
    func breakOff(retryMilliseconds: Int?) {
        guard phase != .ended, let context else { return }
        noteSeen()
        phase = .ended
        lastProgress = shard.seconds
        var last = ByteBuffer()
        if let retryMilliseconds { renderer.appendRetry(milliseconds: retryMilliseconds, to: &last) }
        // An empty one would be the proper end of an HTTP/2 stream.
        if last.readableBytes == 0 { last = renderer.keepAlive }
        let piece =
            isChunked
            ? ChunkFraming.chunk(capacity: last.readableBytes) { $0.writeImmutableBuffer(last) } : last
        // Closing lets go of what the socket has not taken yet, so it waits for the last write.
        let written = context.eventLoop.makePromise(of: Void.self)
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        written.futureResult.whenComplete { _ in bound.value.closeUnfinished() }
        context.writeAndFlush(wrapOutboundOut(piece), promise: written)
    }

    /// Cuts a client that takes nothing.
    func cutStalled() {
        shard.services.counters.stalled.add(1, ordering: .relaxed)
        closeUnfinished()
    }

    /// Counts the stream out, whose end is waited for no longer; what was to end by itself and has not is broken off.
    func abandon() {
        // Whole, and the kernel's: only the other end's word is waited for, as through TLS. A reset would take it away.
        let isWhole = phase == .ended && context?.channel.untakenBytes == 0
        if !options.isFollowing, !isWhole { closeUnfinished() }
        leave()
    }

    /// Closes at once, so that the client meets an error.
    func closeUnfinished() {
        guard let context else { return }
        guard context.channel.parent == nil else { return context.close(promise: nil) }
        // The end of a connection is the end of a body that is neither chunked nor in HTTP/2; a reset is not.
        if !isChunked, context.channel.isActive {
            var reset = linger(l_onoff: 1, l_linger: 0)
            _ = setsockopt(socket, SOL_SOCKET, SO_LINGER, &reset, socklen_t(MemoryLayout<linger>.size))
        }
        context.breakConnection()
    }
}
