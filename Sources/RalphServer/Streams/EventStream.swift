import NIOCore
import RalphFeed
import RalphWire
import Synchronization

/// One client's stream: a cursor over the feed, and the connection that it is written to.
///
/// Replay and live are the same thing: the stream reads what follows its cursor from memory, else from SQLite,
/// else from Ralph's files, until it is at the head; from there new blocks are written as they come. Whenever
/// the connection cannot take more, it waits and goes on from its cursor. Confined to its event loop; it is
/// the only handler left in its channel's pipeline.
final class EventStream: ChannelInboundHandler {
    typealias InboundIn = NIOAny
    typealias OutboundOut = ByteBuffer

    enum Phase {
        case replaying
        case live
        /// At the head, and the ingest thread writes.
        case lent
        case ended
    }

    // What each event needs comes first, side by side: of thousands of streams, each line of memory is far away.

    /// Only at the head is the loop woken for new events: whoever is behind reads on from its cursor anyway.
    var phase = Phase.replaying {
        didSet { if (oldValue == .live) != (phase == .live) { shard.note(self, isLive: phase == .live) } }
    }
    private var hasOpened = false
    /// `nil` where bytes must go through the channel's handlers.
    private var direct: DirectSocket?
    var context: ChannelHandlerContext?
    var cursor: Int64
    /// The session whose frames it sends as they are, as chunks that others may send as well.
    let sharedSession: SessionID?
    /// What the kernel has surely taken.
    var takenCursor: Int64
    var lastWrite: Int64
    var lastEvent: Int64
    var lastProgress: Int64

    let options: StreamOptions
    /// The device that watches, if one does.
    let device: DeviceID?
    /// Where the stream stands in its shard's list.
    var position = 0
    let renderer: StreamRenderer
    let isChunked: Bool
    /// Whose stream it is, if it is remembered where it ends.
    let client: String?
    /// Given back with the stream's end, or with that of its last read; see ``giveSeatBack()``.
    var seat: StreamSeats.Seat?
    /// What the ingest thread writes to.
    var lent: LentSocket?
    /// When the ingest thread gave the socket back, in the shard's seconds; it gets none within the same one.
    var givenBack: Int64 = -1
    let shard: StreamShard
    var isReading = false
    /// The last read was refused: another one is due.
    var isRefused = false
    /// The shard will call ``takeTurn()``.
    var awaitsTurn = false
    /// What was there when the client came, until that is said; `nil`: it was.
    var openingHead: Int64?
    /// Whether it has had every event since the last time that it could not take one.
    var isUpToDate = false
    var stopAt: Int64?
    private var openingGap: StreamGap?
    /// Where to start, until the store has told the cursor.
    var search: StreamReader.Start?
    /// What looks for that.
    var runningSearch: StartSearch?
    /// The last cursor that the client was not told with the `id:` of an event; once the stream is beyond it, the client
    /// knows its cursor.
    var untoldCursor: Int64?
    private var waitingBytes = 0
    /// The connection's socket, only to be asked what the other end has confirmed, and told how to close.
    let socket: Int32
    /// What the other end had confirmed a second ago or earlier.
    var confirmedCursor: Int64
    /// What it will have confirmed when so many of the connection's bytes are.
    var awaited: (cursor: Int64, bytes: Int64)?
    /// What the client had got when it closed in good order.
    var seenCursor: Int64?
    /// How long the other end has confirmed nothing.
    var silence = PeerSilence()

    /// - Parameters:
    ///   - socket: the connection's.
    ///   - isDirect: nothing has to be done to the bytes on the way to it.
    init(_ plan: StreamPlan, shard: StreamShard, socket: Int32, isDirect: Bool) {
        self.socket = socket
        direct = isDirect ? DirectSocket(descriptor: socket) : nil
        options = plan.options
        device = plan.device
        renderer = StreamRenderer(options: plan.options)
        isChunked = plan.isChunked
        sharedSession = isChunked ? renderer.plainSession : nil
        client = plan.isRemembered ? plan.client : nil
        seat = plan.seat
        cursor = plan.cursor
        takenCursor = plan.cursor
        confirmedCursor = plan.cursor
        stopAt = plan.stopAt
        openingHead = plan.head
        openingGap = plan.gap
        search = plan.search
        untoldCursor = plan.untoldCursor
        self.shard = shard
        lastWrite = shard.seconds
        lastEvent = shard.seconds
        lastProgress = shard.seconds
    }

    // MARK: Channel

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        shard.add(self)
        shard.services.counters.open.add(1, ordering: .relaxed)
        shard.services.counters.opened.add(1, ordering: .relaxed)
        let gap = openingGap
        openingGap = nil
        write { [renderer] buffer in
            renderer.appendOpening(to: &buffer)
            if let gap { renderer.append(gap, to: &buffer) }
        }
        if gap != nil { shard.services.counters.gaps.add(1, ordering: .relaxed) }
        catchUp()
        // Lines of JSON may have nothing to say for long; the head is not to wait for them.
        if !hasOpened { self.context?.flush() }
        shard.endIfStopping(self)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        leave()
        self.context = nil
    }

    func channelInactive(context: ChannelHandlerContext) {
        leave()
        context.fireChannelInactive()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable {
            lastProgress = shard.seconds
            catchUp()
        }
        context.fireChannelWritabilityChanged()
    }

    /// What a client sends after its request is of no use; it is dropped.
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {}

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // The client has closed its sending half: it may still read, or be gone. Writing tells.
        if let event = event as? ChannelEvent, event == .inputClosed { writeKeepAlive(isLast: true) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    // MARK: New events

    /// Whether a shared buffer that begins with `seq` continues this stream as it is.
    func takesShared(from seq: Int64) -> Bool {
        phase == .live && sharedSession != nil && seq == cursor + 1 && isWritable
    }

    /// Writes a buffer that others write as well; it holds everything after the cursor up to `through`.
    func send(_ buffer: ByteBuffer, through: Int64) {
        cursor = through
        lastEvent = shard.seconds
        writeRaw(buffer)
    }

    /// The socket, if such a buffer may be written to it at once; looks at as little as can be. Not for a callback of the
    /// channel, whose descriptor may be closed and another connection's by then.
    func sharedDescriptor(from seq: Int64) -> Int32? {
        guard phase == .live, sharedSession != nil, seq == cursor + 1 else { return nil }
        return idleDescriptor
    }

    /// What begins behind the cursor was sent to the socket, up to `through`, but for `rest`.
    ///
    /// - Parameter second: the shard's.
    func noteSent(through: Int64, rest: ByteBuffer?, second: Int64) {
        cursor = through
        lastEvent = second
        lastWrite = second
        if let rest {
            if let context { writeThroughChannel(rest, context) }
        } else {
            lastProgress = second
            takenCursor = through
        }
    }

    /// Takes new blocks, those that it has already left out.
    func deliver(_ blocks: [EventBlock]) {
        guard phase == .live else { return }
        let first = blocks.first.map { options.source == .all ? $0.firstGlobalID : $0.firstSeq }
        let bytes = blocks.reduce(0) { $0 + $1.bytes.count }
        guard first == cursor + 1, bytes <= StreamShard.pieceBytes, isWritable else {
            catchUp()
            return
        }
        write(blocks.map { BlockSlice(block: $0, range: 0..<$0.entries.count) })
    }

    /// Ends the stream as soon as it has sent everything up to `seq`, and at once if it has.
    func end(after seq: Int64) {
        guard phase != .ended else { return }
        takeBack()
        stopAt = seq
        if cursor >= seq, search == nil, !isReading { end(retryMilliseconds: nil) } else { catchUp() }
    }

    /// Ends the stream without waiting for what its client has not taken; one that is not at the head is broken off, and one
    /// whose end waits here with the rest loses both.
    func cut() {
        guard let context else { return }
        guard phase != .ended else {
            // A channel that does not tell is closing.
            if context.channel.untakenBytes ?? 0 > 0 { closeUnfinished() }
            return
        }
        let isAtHead = phase == .live || phase == .lent
        takeBack()
        let isTaken = direct.map { $0.queued == 0 } ?? (context.channel.untakenBytes == 0)
        guard isTaken else { return closeUnfinished() }
        if isAtHead { end(retryMilliseconds: nil) } else { breakOff(retryMilliseconds: nil) }
    }

    // MARK: Time

    /// Called each second.
    func tick(second: Int64) {
        guard let context else { return }
        if let lent { noteTaken(lent.taken) } else { lend() }
        noteConfirmed()
        tryAgain()
        // What little waits below the channel's watermark may wait for ever; of one stream among others of a connection that
        // is allowed (docs/http-api.md).
        let isAlone = context.channel.parent == nil
        let isStuck = isAlone && (direct.map { $0.queued > 0 } ?? (context.channel.untakenBytes ?? 0 > 0))
        let isFree = isWritable && !isStuck && phase != .ended
        // Asked first: what waits may also change because more comes.
        if isAlone || isFree, isDeserted(at: second) { return cutStalled() }
        if isFree {
            if second - lastWrite >= shard.services.limits.keepAliveSeconds { writeKeepAlive() }
            // Not while it waits for events of the past, however long that takes.
            if phase != .replaying, second - lastEvent >= shard.services.limits.endedIdleSeconds, hasEnded {
                end(retryMilliseconds: nil)
            }
            return
        }
        // One that does not tell is closing, and cut below.
        let waiting = context.channel.unconfirmedBytes(socket)
        if waiting != waitingBytes {
            waitingBytes = waiting
            lastProgress = second
        } else if second - lastProgress >= shard.services.limits.stallSeconds {
            cutStalled()
        }
    }

    /// Ends the body properly and closes; with a retry time the client is told when to come back.
    func end(retryMilliseconds: Int?) {
        guard phase != .ended, let context else { return }
        takeBack()
        noteSeen()
        if let retryMilliseconds {
            writeNotice { [renderer] in renderer.appendRetry(milliseconds: retryMilliseconds, to: &$0) }
        } else {
            sync()
        }
        guard phase != .ended else { return }  // a write may have brought the stream to its end
        phase = .ended
        lastProgress = shard.seconds
        // Closing lets go of what the socket has not taken yet, so it waits for the last write.
        let written = context.eventLoop.makePromise(of: Void.self)
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        written.futureResult.whenComplete { _ in bound.value.context?.close(promise: nil) }
        context.writeAndFlush(wrapOutboundOut(isChunked ? ChunkFraming.last : ByteBuffer()), promise: written)
    }

    // MARK: Writing

    func write(_ slices: [BlockSlice]) {
        guard let last = slices.last else { return }
        let lastIndex = Int64(last.range.upperBound - 1)
        cursor = (options.source == .all ? last.block.firstGlobalID : last.block.firstSeq) + lastIndex
        lastEvent = shard.seconds
        write(capacity: slices.reduce(0) { $0 + $1.bytes.count }) { buffer in
            var isTold = true
            for slice in slices { isTold = renderer.append(slice, to: &buffer) }
            if !isTold { untoldCursor = cursor }
        }
    }

    /// - Parameter isLast: the client may be gone.
    private func writeKeepAlive(isLast: Bool = false) {
        let wasLent = lent != nil
        takeBack()
        if isLast { noteSeen() }
        guard phase != .ended else { return }
        writeNotice { [renderer] in $0.writeImmutableBuffer(renderer.keepAlive) }
        if wasLent { catchUp() }
    }

    /// Writes what is no event, and in front of it the cursor if no event has told it.
    func writeNotice(_ body: (inout ByteBuffer) -> Void) {
        write { buffer in
            if untoldCursor == cursor { renderer.appendID(cursor, to: &buffer) }
            untoldCursor = nil
            body(&buffer)
        }
    }

    func write(capacity: Int = 256, _ body: (inout ByteBuffer) -> Void) {
        guard isChunked else {
            var buffer = ByteBufferAllocator().buffer(capacity: capacity)
            body(&buffer)
            return writeRaw(buffer)
        }
        writeRaw(ChunkFraming.chunk(capacity: capacity, body))
    }

    /// The socket, if nothing waits to be written to it.
    var idleDescriptor: Int32? {
        guard hasOpened, let direct, direct.queued == 0 else { return nil }
        return direct.descriptor
    }

    /// Whether more may be written now; what is not taken at once is bounded by the channel's watermark.
    var isWritable: Bool {
        guard let context else { return false }
        if let direct, direct.queued == 0 { return true }
        return context.channel.isWritable
    }

    private func writeRaw(_ buffer: ByteBuffer) {
        guard let context, buffer.readableBytes > 0 else { return }
        lastWrite = shard.seconds
        guard direct != nil, hasOpened else { return writeThroughChannel(buffer, context) }
        if context.channel.isActive, let rest = direct?.send(buffer) {
            writeThroughChannel(rest, context)
        } else {
            lastProgress = lastWrite
            takenCursor = cursor
        }
    }

    /// Writes behind whatever waits in the channel. The response's head waits there for the first write.
    func writeThroughChannel(_ buffer: ByteBuffer, _ context: ChannelHandlerContext) {
        hasOpened = true
        if context.channel.isWritable { lastProgress = shard.seconds }
        direct?.noteQueued()
        let through = cursor
        let written = context.eventLoop.makePromise(of: Void.self)
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        written.futureResult.whenSuccess {
            bound.value.direct?.noteFinished()
            bound.value.takenCursor = max(bound.value.takenCursor, through)
            bound.value.lend()
        }
        context.writeAndFlush(wrapOutboundOut(buffer), promise: written)
    }

    private var hasEnded: Bool {
        guard case .session(let id) = options.source else { return false }
        return shard.services.hasEnded(id)
    }

    /// Counts the stream out, once, and remembers where it ended.
    func leave() {
        guard context != nil else { return }
        context = nil
        takeBack()
        phase = .ended
        shard.remove(self)
        shard.services.counters.open.subtract(1, ordering: .relaxed)
        runningSearch?.callOff()
        giveSeatBack()
        if let client, case .session(let id) = options.source {
            shard.services.clients.noteEnd(
                client: client, session: id, cursor: seenCursor ?? confirmedCursor,
                now: WallClock.milliseconds())
        }
    }
}
