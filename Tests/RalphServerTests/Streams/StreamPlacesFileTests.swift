import Foundation
import RalphTestSupport
import RalphWire
import Testing

@testable import RalphServer

@Suite(.timeLimit(.minutes(1))) struct StreamPlacesFileTests {
    private let session = "00000000000000aa"

    private func place(_ seq: Int64, session: String, at time: Int64 = 1000) -> StreamPlacesFile.Place {
        StreamPlacesFile.Place(client: "c", session: session, seq: seq, ended_at: time)
    }

    @Test func `places are told once, to the store that their numbers belong to`() async throws {
        try await withTemporaryDirectory { directory in
            let file = StreamPlacesFile(path: directory.path + "/streams.json")
            let places = [place(5, session: session)]
            #expect(file.write(places, epoch: "e") && file.take(epoch: "e") == places)
            #expect(file.take(epoch: "e").isEmpty)
            #expect(file.write(places, epoch: "e") && file.take(epoch: "f").isEmpty)
            #expect(file.take(epoch: "e").isEmpty)
        }
    }

    @Test(arguments: ["", "{", "[]", #"{"epoch":"e","places":[{"client":7}]}"#])
    func `what is no such file tells of no place`(text: String) async throws {
        try await withTemporaryDirectory { directory in
            let file = StreamPlacesFile(path: try directory.write("streams.json", text))
            #expect(file.take(epoch: "e").isEmpty)
            #expect(!FileManager.default.fileExists(atPath: file.path))
        }
    }

    @Test func `what cannot be kept is said, and nothing needs no file`() {
        let file = StreamPlacesFile(path: "/nowhere/streams.json")
        #expect(file.write([], epoch: "e") && !file.write([place(1, session: session)], epoch: "e"))
    }

    @Test func `a place that is too old, of no session or no number is left out`() throws {
        let (clients, id) = (StreamClients(), try #require(SessionID(session)))
        clients.add([
            place(5, session: session), place(6, session: "x"), place(-1, session: "00000000000000ab"),
        ])
        #expect(clients.places(now: 1000) == [place(5, session: session)])
        #expect(clients.places(now: 1001 + StreamClients.memory).isEmpty)
        #expect(clients.takeEnd(client: "c", session: id, now: 2000) == 5)
    }
}
