import Foundation
import RalphFeed
import RalphSessions
import RalphTestSupport
import RalphWire
import Testing

@testable import RalphServer

@Suite(.timeLimit(.minutes(1)))
struct EchoTests {
    private static func row(_ marker: String) -> String {
        #"{"id":"\#(marker)","payload":"p","source":"user","topic":"human.guidance","ts":"2026-11-21T03:20:36.123Z"}"#
    }

    private static func marker(_ number: Int) -> String {
        "cmd_" + String(repeating: "0", count: 13) + String(100 + number)
    }

    @Test func `a row that is waited for lands with its number`() async throws {
        try await withIngest { scene in
            try scene.write("p", "events.jsonl", RunningServer.lines(1...2, when: true))
            scene.ingest.requestScan()
            let echo = scene.ingest.expectEcho(Self.marker(1), scene.id("p"))
            let other = scene.ingest.expectEcho(Self.marker(1) + "x", scene.id("p"))
            try scene.append(
                "p", RunningServer.lines(3...3, when: true) + "\n" + Self.row(Self.marker(1)) + "\n")

            let landed = try #require(await echo.landing(within: .seconds(10)))
            #expect(
                landed
                    == EventEcho(
                        seq: 4, eventID: "evt_\(scene.id("p"))-4", timestamp: 1_795_231_236_123))
            let extra = try scene.event("p", 4)["extra"] as? [String: String]
            #expect(extra == ["id": Self.marker(1)])
            #expect(await other.landing(within: .zero) == nil)
        }
    }

    @Test func `rows of many writers each land at their own number`() async throws {
        try await withIngest { scene in
            try scene.write("p", "events.jsonl", "")
            let id = scene.id("p")
            try await withThrowingTaskGroup(of: (String, EventEcho?).self) { group in
                for number in 0..<50 {
                    group.addTask {
                        let marker = Self.marker(number)
                        let echo = scene.ingest.expectEcho(marker, id)
                        try scene.append("p", "\n" + Self.row(marker) + "\n")
                        if number % 5 == 0 {
                            try await scene.ingest.post(
                                .event(type: "noted", payload: "{}", at: 1), to: id)
                        }
                        return (marker, await echo.landing(within: .seconds(20)))
                    }
                }
                for try await (marker, landed) in group {
                    let seq = try #require(landed?.seq)
                    #expect(try scene.event("p", seq)["extra"] as? [String: String] == ["id": marker])
                }
            }
        }
    }

    @Test func `what is in another session does not count`() async throws {
        try await withIngest { scene in
            for name in ["p", "q"] { try scene.write(name, "events.jsonl", "") }
            let echo = scene.ingest.expectEcho(Self.marker(1), scene.id("p"))
            let landed = scene.ingest.expectEcho(Self.marker(1) + "y", scene.id("q"))
            try scene.append("q", Self.row(Self.marker(1)) + "\n" + Self.row(Self.marker(1) + "y") + "\n")

            #expect(await landed.landing(within: .seconds(10)) != nil)
            #expect(await echo.landing(within: .zero) == nil)
        }
    }

    @Test func `more than may wait are not waited for, and who let go makes room`() async throws {
        let board = EchoBoard()
        let id = SessionID(digestPrefix: 1)
        var echoes = (0..<EchoBoard.capacity).map { board.expect("m\($0)", in: id) }

        #expect(await board.expect("one more", in: id).landing(within: .seconds(60)) == nil)
        echoes.removeLast()
        let taken = board.expect("again", in: id)
        let cancelled = Task { await taken.landing(within: .seconds(60)) }
        cancelled.cancel()
        #expect(await cancelled.value == nil)
    }
}
