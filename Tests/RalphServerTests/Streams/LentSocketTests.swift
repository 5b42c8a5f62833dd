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
        let scene = try Scene()
        scene.send("one", from: 11, through: 12)
        scene.send("one", from: 11, through: 12)
        scene.send("two", from: 13, through: 13)

        #expect(scene.pair.read() == "onetwo")
        #expect(scene.socket.taken == 13)
        #expect(scene.returned.count == 0)
        #expect(scene.socket.takeBack()?.cursor == 13)
    }

    @Test func `behind a hole nothing is sent, and the stream is told once`() throws {
        let scene = try Scene()
        scene.send("late", from: 12, through: 12)
        scene.send("next", from: 11, through: 11)
        scene.group.giveBack()

        #expect(scene.pair.read() == "")
        #expect(scene.returned.count == 1)
        let outcome = try #require(scene.socket.takeBack())
        #expect((outcome.taken, outcome.cursor, outcome.rest) == (10, 10, nil))
    }

    @Test func `a connection that is full gives back the rest, and nothing goes behind it`() throws {
        let scene = try Scene()
        let chunk = String(repeating: "x", count: 60_000)
        var last: Int64 = 10
        while scene.returned.count == 0 {
            last += 1
            scene.send(chunk, from: last, through: last)
        }
        scene.send(chunk, from: last + 1, through: last + 1)

        let outcome = try #require(scene.socket.takeBack())
        #expect((outcome.taken, outcome.cursor) == (last - 1, last))
        let bytes = scene.pair.read().utf8.count + (outcome.rest?.readableBytes ?? 0)
        #expect(bytes == Int(last - 10) * chunk.utf8.count)
        #expect(scene.returned.count == 1)
    }

    @Test func `whoever took the socket back is not written to`() throws {
        let scene = try Scene()
        #expect(scene.socket.takeBack()?.cursor == 10)
        scene.send("late", from: 11, through: 11)

        #expect(scene.pair.read() == "")
        #expect(scene.socket.takeBack() == nil)
    }

    @Test func `a full connection and one that is gone keep nothing from the others`() throws {
        let group = LentGroup(session: session)
        var sender = SharedSend()
        let pairs = try (0..<5).map { _ in try SocketPair() }
        let returned = pairs.map { _ in Counter() }
        let lent = zip(pairs, returned).compactMap { pair, counter in
            group.lend(pair.ours, cursor: 0) { counter.add() }
        }
        pairs[1].fill()
        pairs[3].closeTheirs()
        let returns = group.send(ByteBuffer(string: "event"), from: 1, through: 1, by: &sender)
        for onReturn in returns { onReturn() }

        #expect(returned.map(\.count) == [0, 1, 0, 1, 0])
        #expect(lent.map(\.taken) == [1, 0, 1, 0, 1])
        for index in [0, 2, 4] { #expect(pairs[index].read() == "event") }
    }

    @Test func `there is room for so many of all`() throws {
        let pair = try SocketPair()
        let sockets = LentSockets(maximum: 10)
        let lent = (0..<12).compactMap { number in
            follow(SessionID(digestPrefix: number < 9 ? 1 : 2), pair, sockets)
        }

        #expect((lent.count, sockets.count) == (10, 10))
        for socket in lent { #expect(sockets.takeBack(socket) != nil) }
        #expect(sockets.count == 0)
        #expect(sockets.takeBack(lent[0]) == nil)
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
        for socket in lent { _ = sockets.takeBack(socket) }
        sockets.adjustFollowers(of: session, by: -1)
        #expect(sockets.lend(pair.ours, of: session, cursor: 2, onReturn: {}) != nil)
    }

    @Test func `one append is sent to so many sockets, and the others are the loops' work`() throws {
        let pair = try SocketPair()
        let sockets = LentSockets(maximum: 1000)
        let returned = Counter()
        let sessions = (1...18).map { SessionID(digestPrefix: $0) }
        let lent = sessions.flatMap { session in
            (0..<8).compactMap { _ in follow(session, pair, sockets, returned) }
        }
        sockets.send(sessions.flatMap { MadeBlocks.blocks(1, of: $0) })

        #expect(lent.map(\.taken) == Array(repeating: 1, count: 128) + Array(repeating: 0, count: 16))
        #expect(returned.count == 16)
    }

    @Test func `what is too large for the ingest thread is the loops' work`() throws {
        let pair = try SocketPair()
        let sockets = LentSockets(maximum: 1)
        let returned = Counter()
        let socket = try #require(follow(session, pair, sockets, returned, cursor: 10))
        sockets.send(MadeBlocks.blocks(1000, of: session, from: 11))

        #expect((socket.taken, returned.count) == (10, 1))
        #expect(pair.read() == "")
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

/// One lent socket whose stream is at event 10.
private struct Scene {
    let pair: SocketPair
    let group = LentGroup(session: SessionID(digestPrefix: 1))
    let returned = Counter()
    let socket: LentSocket

    init() throws {
        pair = try SocketPair()
        let lent = group.lend(pair.ours, cursor: 10) { [returned] in returned.add() }
        socket = try #require(lent)
    }

    func send(_ text: String, from first: Int64, through last: Int64) {
        var sender = SharedSend()
        let returns = group.send(ByteBuffer(string: text), from: first, through: last, by: &sender)
        for onReturn in returns { onReturn() }
    }
}

/// Counts on any thread.
private final class Counter: Sendable {
    private let value = Atomic(0)

    var count: Int { value.load(ordering: .relaxed) }
    func add() { value.add(1, ordering: .relaxed) }
}
