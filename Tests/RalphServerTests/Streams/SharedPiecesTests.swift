import NIOCore
import RalphFeed
import RalphWire
import Testing

@testable import RalphServer

struct SharedPiecesTests {
    private let session = SessionID(digestPrefix: 1)

    @Test func `a piece ends at the grid, where all streams meet`() {
        var pieces = SharedPieces()
        let early = pieces.make(slices(after: 10), of: session, after: 10, head: 1000, second: 0)
        let late = pieces.make(slices(after: 200), of: session, after: 200, head: 1000, second: 0)

        #expect((early.through, late.through) == (256, 256))
        #expect(ids(early) == Array(11...256))
        #expect(ids(late) == Array(201...256))
    }

    @Test func `events too large for the grid meet at the roundest number that a piece reaches`() {
        var pieces = SharedPieces()
        let record = MadeBlocks.blocks(200, of: session, payload: 4000).map {
            BlockSlice(block: $0, range: 0..<$0.count)
        }
        let ends = [10, 37, 64, 70, 0].map { (cursor: Int64) in
            let piece = pieces.make(
                record.compactMap { $0.after(cursor) }, of: session, after: cursor, head: 1000, second: 0)
            #expect(piece.buffer.readableBytes <= StreamShard.pieceBytes + 32)
            #expect(ids(piece) == Array(Int(cursor) + 1...Int(piece.through)))
            return piece.through
        }

        #expect(ends == [64, 64, 96, 128, 32])
        #expect(pieces.piece(of: session, after: 64, second: 0)?.through == 96)
    }

    @Test func `who is near the head takes as much as a piece has room for`() {
        var pieces = SharedPieces()
        let record = MadeBlocks.blocks(200, of: session, payload: 4000).map {
            BlockSlice(block: $0, range: 0..<$0.count)
        }
        let piece = pieces.make(record, of: session, after: 0, head: 200, second: 0)
        #expect((60...64).contains(piece.through))
    }

    @Test func `one event larger than a piece is a piece`() {
        var pieces = SharedPieces()
        let record = MadeBlocks.blocks(2, of: session, payload: 2 * StreamShard.pieceBytes)
        let piece = pieces.make(
            record.map { BlockSlice(block: $0, range: 0..<$0.count) }, of: session, after: 0, head: 1000,
            second: 0)
        #expect(ids(piece) == [1])
    }

    @Test func `who comes to the same cursor gets the same bytes`() {
        var pieces = SharedPieces()
        let missing = pieces.piece(of: session, after: 256, second: 0)
        let made = pieces.make(slices(after: 256), of: session, after: 256, head: 1000, second: 0)
        let found = pieces.piece(of: session, after: 256, second: 0)
        let others = [
            pieces.piece(of: SessionID(digestPrefix: 2), after: 256, second: 0),
            pieces.piece(of: session, after: 257, second: 0),
        ]

        #expect(missing == nil)
        #expect((found?.through, found?.buffer) == (512, made.buffer))
        #expect(others.allSatisfy { $0 == nil })
    }

    @Test func `the end of the record is a piece too`() {
        var pieces = SharedPieces()
        let made = pieces.make(slices(after: 990), of: session, after: 990, head: 1000, second: 0)
        let found = pieces.piece(of: session, after: 990, second: 0)

        #expect((made.through, ids(made)) == (1000, Array(991...1000)))
        #expect(found?.through == 1000)
    }

    @Test func `what nobody sends is let go, what is sent is kept`() {
        var pieces = SharedPieces()
        _ = pieces.make(slices(after: 0), of: session, after: 0, head: 1000, second: 0)
        // One from a meeting place to the next, one that leads to the first, and one that more events may lengthen.
        let cursors: [Int64] = [256, 10, 990]
        for cursor in cursors {
            _ = pieces.make(slices(after: cursor), of: session, after: cursor, head: 1000, second: 0)
        }
        for second in 1...SharedPieces.idleSeconds + 1 {
            for cursor in cursors { _ = pieces.piece(of: session, after: cursor, second: second) }
            pieces.tick(second: second)
        }

        #expect(pieces.piece(of: session, after: 0, second: 3) == nil)
        #expect(
            cursors.map { pieces.piece(of: session, after: $0, second: 3) != nil } == [true, true, false])
    }

    @Test func `the oldest go when there are too many`() {
        var pieces = SharedPieces()
        let whole = slices(after: 0)
        let bytes = pieces.make(whole, of: session, after: 0, head: 1000, second: 0).buffer.readableBytes
        let count = UInt64(SharedPieces.maximumBytes / bytes)
        for number in 2...count + 1 {
            _ = pieces.make(whole, of: SessionID(digestPrefix: number), after: 0, head: 1000, second: 0)
        }

        let kept = (1...count + 1).filter { number in
            pieces.piece(of: SessionID(digestPrefix: number), after: 0, second: 0) != nil
        }

        #expect(kept == Array(2...count + 1))
    }

    /// What a record of 1000 events has behind `cursor`.
    private func slices(after cursor: Int64) -> [BlockSlice] { Self.record.compactMap { $0.after(cursor) } }

    private func ids(_ piece: SharedPieces.Piece) -> [Int] {
        String(buffer: piece.buffer).split(whereSeparator: \.isNewline).compactMap { line in
            line.hasPrefix("id: ") ? Int(line.dropFirst(4)) : nil
        }
    }

    /// 1000 events in blocks of 100.
    private static let record: [BlockSlice] = (0..<10).flatMap { block in
        MadeBlocks.blocks(100, of: SessionID(digestPrefix: 1), from: Int64(block * 100 + 1))
            .map { BlockSlice(block: $0, range: 0..<100) }
    }
}
