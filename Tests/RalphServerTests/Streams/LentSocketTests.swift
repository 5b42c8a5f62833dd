import Foundation
import NIOCore
import RalphTestSupport
import RalphWire
import Synchronization
import Testing

@testable import RalphServer

struct LentSocketTests {
    private let session = SessionID(digestPrefix: 1)

    @Test func `what continues is sent, and what was sent already is not sent again`() throws {
        let pair = try SocketPair()
        let returned = Counter()
        let socket = try lend(pair, to: LentSockets(maximum: 1), returned)
        socket.send(ByteBuffer(string: "one"), from: 11, through: 12)
        socket.send(ByteBuffer(string: "one"), from: 11, through: 12)
        socket.send(ByteBuffer(string: "two"), from: 13, through: 13)

        #expect(pair.read() == "onetwo")
        #expect(socket.taken == 13)
        #expect(returned.count == 0)
        #expect(socket.takeBack().cursor == 13)
    }

    @Test func `behind a hole nothing is sent, and the stream is told once`() throws {
        let pair = try SocketPair()
        let returned = Counter()
        let socket = try lend(pair, to: LentSockets(maximum: 1), returned)
        socket.send(ByteBuffer(string: "late"), from: 12, through: 12)
        socket.send(ByteBuffer(string: "next"), from: 11, through: 11)
        socket.giveBack()

        #expect(pair.read() == "")
        #expect(returned.count == 1)
        let (taken, cursor, rest) = socket.takeBack()
        #expect((taken, cursor, rest) == (10, 10, nil))
    }

    @Test func `a connection that is full gives back the rest, and nothing goes behind it`() throws {
        let pair = try SocketPair()
        let returned = Counter()
        let socket = try lend(pair, to: LentSockets(maximum: 1), returned)
        let chunk = ByteBuffer(repeating: UInt8(ascii: "x"), count: 60_000)
        var last: Int64 = 10
        while returned.count == 0 {
            last += 1
            socket.send(chunk, from: last, through: last)
        }
        socket.send(chunk, from: last + 1, through: last + 1)

        let (taken, cursor, rest) = socket.takeBack()
        #expect((taken, cursor) == (last - 1, last))
        #expect(pair.read().utf8.count + (rest?.readableBytes ?? 0) == Int(last - 10) * chunk.readableBytes)
        #expect(returned.count == 1)
    }

    @Test func `whoever took the socket back is not written to`() throws {
        let pair = try SocketPair()
        let socket = try lend(pair, to: LentSockets(maximum: 1), Counter())
        #expect(socket.takeBack().cursor == 10)
        socket.send(ByteBuffer(string: "late"), from: 11, through: 11)

        #expect(pair.read() == "")
    }

    @Test func `there is room for so many of all`() throws {
        let pair = try SocketPair()
        let sockets = LentSockets(maximum: 10)
        let lent = (0..<12).compactMap { number in
            follow(SessionID(digestPrefix: number < 9 ? 1 : 2), pair, sockets)
        }

        #expect((lent.count, sockets.count) == (10, 10))
        for socket in lent { sockets.remove(socket) }
        #expect(sockets.count == 0)
    }

    @Test func `who is not counted in cannot lend`() throws {
        let sockets = LentSockets(maximum: 1)
        #expect(sockets.lend(try SocketPair().ours, of: session, cursor: 0, onReturn: {}) == nil)
    }

    @Test func `a session that many follow is the loops' work until some have left`() throws {
        let pair = try SocketPair()
        let returned = Counter()
        let sockets = LentSockets(maximum: 1000)
        let lent = (0..<LentSockets.maximumFollowers).compactMap { _ in
            follow(session, pair, sockets, returned)
        }
        sockets.send(MadeBlocks.blocks(1, of: session))
        #expect(lent.map(\.taken) == Array(repeating: 1, count: LentSockets.maximumFollowers))

        #expect(follow(session, pair, sockets) == nil)
        sockets.send(MadeBlocks.blocks(1, of: session, from: 2))

        #expect(lent.allSatisfy { $0.taken == 1 })
        #expect(returned.count == lent.count)
        for socket in lent { sockets.remove(socket) }
        sockets.adjustFollowers(of: session, by: -1)
        #expect(sockets.lend(pair.ours, of: session, cursor: 2, onReturn: {}) != nil)
    }

    @Test func `one append is sent to so many sockets, and the others are the loops' work`() throws {
        let pair = try SocketPair()
        let sockets = LentSockets(maximum: 1000)
        let returned = Counter()
        let sessions = (1...10).map { SessionID(digestPrefix: $0) }
        let lent = sessions.flatMap { session in
            (0..<8).compactMap { _ in follow(session, pair, sockets, returned) }
        }
        sockets.send(sessions.flatMap { MadeBlocks.blocks(1, of: $0) })

        #expect(lent.map(\.taken) == Array(repeating: 1, count: 64) + Array(repeating: 0, count: 16))
        #expect(returned.count == 16)
    }

    @Test func `what is too large for the ingest thread is the loops' work`() throws {
        let pair = try SocketPair()
        let sockets = LentSockets(maximum: 1)
        let returned = Counter()
        let socket = try lend(pair, to: sockets, returned)
        sockets.send(MadeBlocks.blocks(1000, of: session, from: 11))

        #expect((socket.taken, returned.count) == (10, 1))
        #expect(pair.read() == "")
    }

    private func lend(
        _ pair: SocketPair, to sockets: LentSockets, _ returned: Counter
    ) throws -> LentSocket {
        try #require(follow(session, pair, sockets, returned, cursor: 10))
    }

    /// Counts a stream in and lends its socket.
    private func follow(
        _ session: SessionID, _ pair: SocketPair, _ sockets: LentSockets, _ returned: Counter = Counter(),
        cursor: Int64 = 0
    ) -> LentSocket? {
        sockets.adjustFollowers(of: session, by: 1)
        return sockets.lend(pair.ours, of: session, cursor: cursor, onReturn: { returned.add() })
    }
}

/// Counts on any thread.
private final class Counter: Sendable {
    private let value = Atomic(0)

    var count: Int { value.load(ordering: .relaxed) }
    func add() { value.add(1, ordering: .relaxed) }
}

/// Two connected sockets.
private final class SocketPair {
    let ours: Int32
    private let theirs: Int32

    init() throws {
        var pair: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0 else {
            throw POSIXError(.init(rawValue: errno) ?? .EIO)
        }
        (ours, theirs) = (pair[0], pair[1])
    }

    deinit {
        close(ours)
        close(theirs)
    }

    /// Everything that lies there.
    func read() -> String {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(theirs, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
            bytes += buffer[..<count]
        }
    }
}
