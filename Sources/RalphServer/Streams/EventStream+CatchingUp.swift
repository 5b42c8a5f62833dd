import Logging
import NIOCore
import RalphFeed
import RalphWire
import Synchronization

// From the cursor to the head, piece by piece.
extension EventStream {
    /// Reads on from the cursor until the head is reached, the connection is full, or a read must be waited for; after
    /// each piece the other streams of the loop have their turn.
    func catchUp() {
        guard phase != .ended, !isReading, !awaitsTurn, context != nil else { return }
        takeBack()
        guard canGoOn else { return }
        phase = .replaying
        if let search { return resolve(search) }
        guard isWritable else {
            if isUpToDate { shard.services.counters.lagged.add(1, ordering: .relaxed) }
            isUpToDate = false
            return
        }
        if let openingHead, cursor >= openingHead {
            // A client that is slow may be long in getting to what is the head by then.
            sync()
            guard canGoOn else { return }
        }
        if let stopAt, cursor >= stopAt { return end(retryMilliseconds: nil) }
        if let sharedSession, let piece = shard.piece(of: sharedSession, after: cursor) {
            awaitTurn()
            return send(piece.buffer, through: piece.through)
        }
        switch recent() {
        case .caughtUp: goLive()
        case .blocks(let slices):
            awaitTurn()
            writePiece(slices)
        case .older: read()
        }
    }

    /// Goes on with catching up.
    func takeTurn() {
        awaitsTurn = false
        catchUp()
    }

    private func awaitTurn() {
        awaitsTurn = true
        shard.giveTurn(to: self)
    }

    private func recent() -> RecentEvents {
        switch options.source {
        case .session(let id):
            shard.services.feed.recent(id, after: cursor, limitBytes: StreamShard.pieceBytes)
        case .all: shard.services.feed.recentGlobal(after: cursor, limitBytes: StreamShard.pieceBytes)
        }
    }

    private func goLive() {
        sync()
        guard canGoOn else { return }
        phase = .live
        isUpToDate = true
        lend()
        if phase == .live, isBehind { catchUp() }
    }

    /// Whether the stream may go on behind a write: that may have met the end of the connection, or have told the stream
    /// that there is room, so that it has gone on already.
    private var canGoOn: Bool {
        phase != .ended && context != nil && lent == nil && !isReading && !awaitsTurn
    }

    /// Whether something was published that came past the stream, before the loop, or the ingest thread, knew of it.
    var isBehind: Bool {
        switch options.source {
        case .session(let id): (shard.services.feed.head(of: id)?.last ?? 0) > cursor
        case .all: shard.services.feed.globalHead > cursor
        }
    }

    /// Says once that what was there when the client came is sent, or what of it is to be.
    func sync() {
        guard let openingHead else { return }
        self.openingHead = nil
        // A stream that ends with it has sent what came meanwhile as well.
        let head = options.isFollowing ? min(cursor, openingHead) : cursor
        writeNotice { [renderer, epoch = shard.services.feed.epoch] in
            renderer.appendSynced(head: head, epoch: epoch, to: &$0)
        }
    }

    private func read() {
        isReading = true
        shard.read(options.source, after: cursor, for: self)
    }

    /// Takes what ``StreamShard/read(_:after:for:)`` came to.
    func take(_ result: Result<ReplayChunk, any Error>) {
        defer { giveSeatBack() }
        // Ended meanwhile: nothing may come behind the end.
        guard phase != .ended else {
            isReading = false
            return
        }
        switch result {
        case .success(let chunk):
            // A write may tell at once that the connection takes more: what was read comes first.
            guard write(chunk) else {
                isReading = false
                return
            }
            move(to: chunk.through)
            isReading = false
            catchUp()
        case .failure(let error):
            isReading = false
            // Nothing that can be read: a file system does not answer, or too many wait for it.
            if error is Problem {
                isRefused = true
                return
            }
            // The cursor is where it was: the client comes back with it.
            shard.services.logger.warning("Replay failed", metadata: ["error": "\(LoggedError.text(error))"])
            // A store that is closed is the server's end; any other failure leaves the past out.
            if let error = error as? StoreError, error != .closed {
                breakOff(retryMilliseconds: 2000)
            } else {
                endEarly(retryMilliseconds: 2000)
            }
        }
    }

    /// Reads, or looks for the start, once more where that was refused; once a second.
    func tryAgain() {
        guard isRefused else { return }
        isRefused = false
        catchUp()
    }

    private func resolve(_ search: StreamReader.Start) {
        isReading = true
        let source = options.source
        let bound = NIOLoopBound(self, eventLoop: shard.eventLoop)
        let running = StartSearch()
        runningSearch = running
        let services = shard.services
        let workspace = services.workspace(for: source, search)
        services.run(at: workspace, on: services.pool(for: search), for: shard.eventLoop) {
            // Nobody takes it.
            guard running.isWanted else { return ReplayChunk(through: 0) }
            // Events have left the ring since that was planned: it is refused, and planned anew.
            if workspace == nil, services.workspace(for: source, search) != nil {
                throw Problem.workspaceBusy
            }
            return try services.reader.start(source, search) { running.isWanted }
        } then: { result in
            bound.value.takeStart(result)
        }
    }

    private func takeStart(_ result: Result<ReplayChunk, any Error>) {
        // One that was not waited for to its end may be under way still.
        runningSearch?.callOff()
        runningSearch = nil
        if case .success(let start) = result {
            search = nil
            cursor = start.through
            untoldCursor = cursor
        }
        take(result)
    }

    /// Goes on behind `through` without an event that tells the client so.
    private func move(to through: Int64) {
        guard through > cursor else { return }
        cursor = through
        untoldCursor = through
    }

    /// Gives the seat back when the stream has left, and no read for it waits or runs any more: who comes and goes has no
    /// more of them at once than who stays.
    func giveSeatBack() {
        guard context == nil, !isReading, let seat else { return }
        self.seat = nil
        shard.services.seats.giveBack(seat)
    }

    private func writePiece(_ slices: [BlockSlice]) {
        guard let sharedSession else { return write(slices) }
        let piece = shard.makePiece(of: sharedSession, after: cursor, slices)
        send(piece.buffer, through: piece.through)
    }

    /// Writes what was read; `false` if the connection is full before the end. The cursor is where it stopped.
    private func write(_ chunk: ReplayChunk) -> Bool {
        let start = cursor
        var slices: [BlockSlice] = []
        for piece in chunk.pieces {
            switch piece {
            case .events(let slice):
                if sharedSession != nil, let last = slices.last, last.lastSeq + 1 != slice.firstSeq {
                    guard writePieces(of: slices) else { return false }
                    slices = []
                }
                slices.append(slice)
            case .gap(let gap):
                guard writePieces(of: slices) else { return false }
                slices = []
                // Pieces of others, who read while more was kept, may have gone beyond.
                guard let gap = gap.rest(behind: cursor, since: start) else { continue }
                move(to: gap.to)
                shard.services.counters.gaps.add(1, ordering: .relaxed)
                write { [renderer] in renderer.append(gap, to: &$0) }
            }
        }
        return writePieces(of: slices)
    }

    /// Writes `slices`, as many at once as a piece has room for; see ``write(_:)``.
    private func writeJoined(_ slices: [BlockSlice]) -> Bool {
        var rest = slices[...]
        while let first = rest.first {
            guard phase != .ended, isWritable else { return false }
            var room = StreamShard.pieceBytes - first.bytes.count
            let joined = rest.dropFirst().prefix { slice in
                room -= slice.bytes.count
                return room >= 0
            }
            write([first] + joined)
            rest = rest[joined.endIndex...]
        }
        return true
    }

    /// Writes `slices`, which follow each other, in pieces if others want them too; see ``write(_:)``.
    private func writePieces(of slices: [BlockSlice]) -> Bool {
        guard let sharedSession, let first = slices.first, first.firstSeq <= cursor + 1 else {
            return writeJoined(slices)
        }
        while true {
            let rest = slices.compactMap { $0.after(cursor) }
            guard !rest.isEmpty else { return true }
            guard phase != .ended, isWritable else { return false }
            let piece =
                shard.piece(of: sharedSession, after: cursor)
                ?? shard.makePiece(of: sharedSession, after: cursor, rest)
            send(piece.buffer, through: piece.through)
        }
    }
}
