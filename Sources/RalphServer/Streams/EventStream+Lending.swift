import NIOCore
import RalphFeed

// At the head, a stream lets the ingest thread write to its connection, if there is room (`LentSockets`). Whatever else is
// to be written or decided, the stream takes the socket back first.
extension EventStream {
    /// Lends the socket if that can be.
    func lend() {
        guard phase == .live, lent == nil, stopAt == nil, shard.seconds > givenBack, let sharedSession,
            let context, context.channel.isActive, let descriptor = idleDescriptor
        else { return }
        let bound = NIOLoopBound(self, eventLoop: shard.eventLoop)
        let eventLoop = shard.eventLoop
        lent = shard.services.lent.lend(descriptor, of: sharedSession, cursor: cursor) {
            eventLoop.execute {
                bound.value.givenBack = bound.value.shard.seconds
                bound.value.catchUp()
            }
        }
        guard lent != nil else { return }
        phase = .lent
        if isBehind { catchUp() }
    }

    /// Takes the socket back if it is lent; what did not fit goes first.
    func takeBack() {
        guard let socket = lent else { return }
        lent = nil
        phase = .replaying
        guard let outcome = shard.services.lent.takeBack(socket) else { return }
        noteTaken(outcome.taken)
        cursor = outcome.cursor
        guard let rest = outcome.rest, let context else { return }
        writeThroughChannel(rest, context)
    }

    /// The ingest thread has sent events up to `taken`.
    func noteTaken(_ taken: Int64) {
        guard taken > cursor else { return }
        cursor = taken
        takenCursor = taken
        lastWrite = shard.seconds
        lastEvent = shard.seconds
        lastProgress = shard.seconds
    }
}
