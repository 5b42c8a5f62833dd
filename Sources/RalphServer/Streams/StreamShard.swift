import NIOCore
import RalphFeed
import RalphWire
import Synchronization

/// All streams of one event loop, and the one place where new events reach them.
///
/// Confined to its event loop. What many streams send is framed once and shared between them; a stream that
/// cannot take it now goes on from its cursor later and holds nobody up (design 10).
final class StreamShard {
    /// What catching up renders in one piece, in bytes.
    static let pieceBytes = 256 * 1024

    let eventLoop: any EventLoop
    let inbox: ShardInbox
    let services: StreamServices

    /// Seconds since the shard was made; the clock of keep-alives and cut-offs.
    private(set) var seconds: Int64 = 0
    /// What streams that catch up send.
    private var pieces = SharedPieces()
    private var reads = SharedReads()
    /// Streams that have sent a piece and have more to send.
    private var turns: [EventStream] = []
    private var bySession: [SessionID: [EventStream]] = [:]
    private var ofAll: [EventStream] = []
    private var streams: [ObjectIdentifier: EventStream] = [:]
    /// Over how many milliseconds streams are to come back, now that the server stops; `nil`: it does not.
    private var endSpread: Int?
    private var pace = FanOutPace()
    private var sender = SharedSend()

    init(eventLoop: any EventLoop, inbox: ShardInbox, services: StreamServices) {
        self.eventLoop = eventLoop
        self.inbox = inbox
        self.services = services
    }

    func add(_ stream: EventStream) {
        streams[ObjectIdentifier(stream)] = stream
        switch stream.options.source {
        case .all: Self.add(stream, to: &ofAll)
        case .session(let id):
            Self.add(stream, to: &bySession[id, default: []])
            services.lent.adjustFollowers(of: id, by: 1)
        }
    }

    func remove(_ stream: EventStream) {
        guard streams.removeValue(forKey: ObjectIdentifier(stream)) != nil else { return }
        switch stream.options.source {
        case .all: Self.remove(stream, from: &ofAll)
        case .session(let id):
            Self.remove(stream, from: &bySession[id, default: []])
            if bySession[id]?.isEmpty == true { bySession[id] = nil }
            services.lent.adjustFollowers(of: id, by: -1)
        }
    }

    /// `stream` wants to be told of new events from now on, or not any more.
    func note(_ stream: EventStream, isLive: Bool) {
        inbox.adjustFollowers(of: stream.options.source, by: isLive ? 1 : -1)
    }

    /// ``drain()``, now or as soon as the loop has rested from the last one. The inbox does not wake it again before.
    func drainInTime() {
        guard let start = pace.nextStart(at: UptimeClock.nanoseconds()) else { return drain() }
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        eventLoop.scheduleTask(deadline: .uptimeNanoseconds(UInt64(start))) { bound.value.drain() }
    }

    /// Sends what the ingest thread left. Streams of a session get all its new blocks in one write.
    func drain() {
        let begin = UptimeClock.nanoseconds()
        defer { if inbox.finishWork() { pace.noteFanOut(from: begin, to: UptimeClock.nanoseconds()) } }
        let delivery = inbox.take()
        if delivery.hasOverflowed {
            services.counters.overflowed.add(1, ordering: .relaxed)
            for stream in streams.values { stream.catchUp() }
            return
        }
        var start = 0
        while start < delivery.blocks.count {
            let id = delivery.blocks[start].session
            var end = start + 1
            while end < delivery.blocks.count, delivery.blocks[end].session == id { end += 1 }
            deliver(Array(delivery.blocks[start..<end]), of: id)
            start = end
        }
        deliverToAll(delivery.blocks)
    }

    /// Has `stream` go on when everything else that is due has had its turn.
    func giveTurn(to stream: EventStream) {
        turns.append(stream)
        guard turns.count == 1 else { return }
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        eventLoop.execute {
            let turns = bound.value.turns
            bound.value.turns = []
            for stream in turns { stream.takeTurn() }
        }
    }

    /// What a stream sends that is at `cursor` of a session, if another one has sent it a moment ago.
    func piece(of session: SessionID, after cursor: Int64) -> SharedPieces.Piece? {
        pieces.piece(of: session, after: cursor, second: seconds)
    }

    /// The same, made of `slices`, which begin behind `cursor`.
    func makePiece(
        of session: SessionID, after cursor: Int64, _ slices: [BlockSlice]
    ) -> SharedPieces.Piece {
        let head = services.feed.head(of: session)?.last ?? cursor
        return pieces.make(slices, of: session, after: cursor, head: head, second: seconds)
    }

    /// Reads what follows `cursor` from the disk, once for all streams that ask for it meanwhile.
    func read(_ source: StreamOptions.Source, after cursor: Int64, for stream: EventStream) {
        let key = SharedReads.Key(source: source, cursor: cursor)
        guard reads.add(stream, for: key) else { return }
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        let workspace = services.workspace(for: source, after: cursor)
        services.run(at: workspace, on: services.threads, for: eventLoop) { [reader = services.reader] in
            try reader.read(source, after: cursor, withFiles: workspace != nil)
        } then: { result in
            for stream in bound.value.reads.take(key) { stream.take(result) }
        }
    }

    /// One second has passed: keep-alives, cut-offs.
    func tick() {
        seconds += 1
        pieces.tick(second: seconds)
        for stream in streams.values { stream.tick(second: seconds) }
    }

    /// Ends every stream as the server stops; each is told to come back after its own share of `spread` milliseconds.
    func endAll(spread: Int) {
        endSpread = spread
        for stream in streams.values { endIfStopping(stream) }
    }

    /// Ends a stream that is opened, or was, while the server stops.
    func endIfStopping(_ stream: EventStream) {
        guard let endSpread else { return }
        stream.endEarly(retryMilliseconds: 500 + Int.random(in: 0...endSpread))
    }

    /// Counts out what could not be ended in time: where each is, is known now.
    func leaveAll() {
        for stream in Array(streams.values) { stream.abandon() }
    }

    /// Ends the streams of one session, each when it has sent all that there is of it.
    func end(_ session: SessionID, after seq: Int64) {
        drain()
        for stream in bySession[session] ?? [] { stream.end(after: seq) }
    }

    /// Ends the streams of a device that may watch no longer.
    func endStreams(of device: DeviceID) {
        for stream in streams.values where stream.device == device { stream.cut() }
    }

    private static func add(_ stream: EventStream, to list: inout [EventStream]) {
        stream.position = list.count
        list.append(stream)
    }

    /// The last one takes the place that becomes free, so that thousands can leave at once.
    private static func remove(_ stream: EventStream, from list: inout [EventStream]) {
        let last = list.removeLast()
        guard last !== stream else { return }
        last.position = stream.position
        list[stream.position] = last
    }

    private func deliver(_ blocks: [EventBlock], of id: SessionID) {
        guard let streams = bySession[id], let first = blocks.first, let last = blocks.last else { return }
        let bytes = blocks.reduce(0) { $0 + $1.bytes.count }
        let isSmall = bytes <= Self.pieceBytes
        var takers: [EventStream] = []
        var sockets: [Int32] = []
        var others: [EventStream] = []
        for stream in streams {
            if isSmall, let descriptor = stream.sharedDescriptor(from: first.firstSeq) {
                takers.append(stream)
                sockets.append(descriptor)
            } else {
                others.append(stream)
            }
        }
        // Nothing that could close one of the sockets happens before all have been sent to.
        guard isSmall else { return others.forEach { $0.deliver(blocks) } }
        let chunk = ChunkFraming.chunk(of: blocks, bytes: bytes)
        let rests = sender.send(chunk, to: sockets)
        for (index, stream) in takers.enumerated() {
            stream.noteSent(through: last.lastSeq, rest: rests[index], second: seconds)
        }
        for stream in others {
            if stream.takesShared(from: first.firstSeq) {
                stream.send(chunk, through: last.lastSeq)
            } else {
                stream.deliver(blocks)
            }
        }
    }

    private func deliverToAll(_ blocks: [EventBlock]) {
        guard !ofAll.isEmpty, !blocks.isEmpty else { return }
        for stream in ofAll { stream.deliver(blocks) }
    }
}
