import Foundation
import RalphTestSupport
import RalphWire
import Testing

@testable import RalphServer

@Suite(.timeLimit(.minutes(1))) struct StreamEndsFileTests {
    private let session = "00000000000000aa"

    private func end(_ seq: Int64, session: String, at time: Int64 = 1000) -> StreamEndsFile.End {
        StreamEndsFile.End(client: "c", session: session, seq: seq, ended_at: time)
    }

    @Test func `ends are told once, to the store that their numbers belong to`() async throws {
        try await withTemporaryDirectory { directory in
            let file = StreamEndsFile(path: directory.path + "/streams.json")
            let ends = [end(5, session: session)]
            #expect(file.write(ends, epoch: "e") && file.take(epoch: "e") == ends)
            #expect(file.take(epoch: "e").isEmpty)
            #expect(file.write(ends, epoch: "e") && file.take(epoch: "f").isEmpty)
            #expect(file.take(epoch: "e").isEmpty)
        }
    }

    @Test(arguments: ["", "{", "[]", #"{"epoch":"e","ends":[{"client":7}]}"#])
    func `what is no such file tells of no end`(text: String) async throws {
        try await withTemporaryDirectory { directory in
            let file = StreamEndsFile(path: try directory.write("streams.json", text))
            #expect(file.take(epoch: "e").isEmpty)
            #expect(!FileManager.default.fileExists(atPath: file.path))
        }
    }

    @Test func `what cannot be kept is said, and nothing needs no file`() {
        let file = StreamEndsFile(path: "/nowhere/streams.json")
        #expect(file.write([], epoch: "e") && !file.write([end(1, session: session)], epoch: "e"))
    }

    @Test func `of too many ends the oldest go`() throws {
        let (clients, id) = (StreamClients(), try #require(SessionID(session)))
        let last = Int64(StreamClients.maximumEntries) + 1
        for time in (1...last).reversed() {
            clients.noteEnd(client: "\(time)", session: id, cursor: 1, now: time)
        }
        let kept = clients.ends(now: last).map(\.ended_at)
        let gone = StreamClients.maximumEntries / 10
        #expect(kept.count == Int(last) - gone && kept.min() == Int64(gone) + 1)
    }

    @Test func `an end is known for ten minutes, and told once`() throws {
        let (clients, id) = (StreamClients(), try #require(SessionID(session)))
        for (later, cursor) in [(600_000, 5), (600_001, nil)] as [(Int64, Int64?)] {
            clients.noteEnd(client: "c", session: id, cursor: 5, now: 1000)
            #expect(clients.takeEnd(client: "c", session: id, now: 1000 + later) == cursor)
            #expect(clients.takeEnd(client: "c", session: id, now: 1000) == nil)
        }
    }

    @Test func `an end that is too old, of no session or no number is left out`() throws {
        let (clients, id) = (StreamClients(), try #require(SessionID(session)))
        let ids = (1...4).map { "00000000000000b\($0)" }
        clients.add(
            [
                end(5, session: session), end(6, session: "x"), end(-1, session: ids[0]),
                end(8, session: ids[1]), end(1, session: ids[2], at: .min),
                end(1, session: ids[3], at: 1001),
            ], now: 1000, head: { _ in 7 })
        #expect(clients.ends(now: 1000) == [end(5, session: session)])
        #expect(clients.ends(now: 1001 + StreamClients.memory).isEmpty)
        #expect(clients.takeEnd(client: "c", session: id, now: 2000) == 5)
    }
}
