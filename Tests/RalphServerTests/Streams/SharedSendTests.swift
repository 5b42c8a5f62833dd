import NIOCore
import Testing

@testable import RalphServer

struct SharedSendTests {
    private func makeSender(isQueued: Bool) throws -> SharedSend {
        let sender = SharedSend(isQueued: isQueued)
        if sender.isQueued != isQueued { try Test.cancel("the kernel gives no queue here (io_setup(2))") }
        return sender
    }

    @Test(arguments: [true, false], [0, 1, 2, 63, 64, 65, 200])
    func `every socket gets the bytes once`(isQueued: Bool, count: Int) throws {
        var sender = try makeSender(isQueued: isQueued)
        let pairs = try (0..<count).map { _ in try SocketPair() }
        let sockets = pairs.map(\.ours)
        let first = sender.send(ByteBuffer(string: "one"), to: sockets)
        let second = sender.send(ByteBuffer(string: "two"), to: sockets)

        #expect((first, second) == ([:], [:]))
        #expect(pairs.allSatisfy { $0.read() == "onetwo" })
    }

    @Test(arguments: [true, false])
    func `what a socket does not take is left`(isQueued: Bool) throws {
        var sender = try makeSender(isQueued: isQueued)
        let pairs = try (0..<100).map { _ in try SocketPair() }
        pairs[7].fill()
        pairs[70].closeTheirs()
        let large = ByteBuffer(repeating: UInt8(ascii: "x"), count: 4 << 20)
        let rests = sender.send(large, to: pairs.map(\.ours))

        #expect(rests.count == pairs.count)
        #expect(rests[7] == large)
        #expect(rests[70] == large)
        for (index, pair) in pairs.enumerated() where index != 7 && index != 70 {
            let taken = pair.read().utf8.count
            #expect(taken > 0)
            #expect(rests[index]?.readableBytes == large.readableBytes - taken)
        }
    }

    @Test(arguments: [true, false])
    func `a descriptor that is none keeps nothing from the others`(isQueued: Bool) throws {
        var sender = try makeSender(isQueued: isQueued)
        let pairs = try (0..<3).map { _ in try SocketPair() }
        let buffer = ByteBuffer(string: "event")
        let rests = sender.send(buffer, to: [pairs[0].ours, -1, pairs[1].ours, pairs[2].ours])

        #expect(rests == [1: buffer])
        #expect(pairs.allSatisfy { $0.read() == "event" })
    }
}
