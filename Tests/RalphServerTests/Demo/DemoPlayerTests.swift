import Foundation
import RalphTestSupport
import RalphWire
import Testing

@testable import RalphServer

@Suite(.timeLimit(.minutes(1)))
struct DemoPlayerTests {
    private static let recording = [
        #"{"ts":"2026-11-21T03:20:36.000Z","iteration":0,"hat":"loop","topic":"task.start","payload":"p"}"#,
        #"{"topic":"note","payload":"one","ts": "2026-11-21T03:20:36.120Z"}"#,
        #"{"ts":"2026-11-21T03:20:36.200Z","iteration":1,"hat":"loop","topic":"iteration.summary"}"#,
    ]

    @Test func `every round is a run of its own, with each line in its rhythm and at its own time`()
        async throws
    {
        try await withServer { server in
            let directory = server.root.path + "/live/.ralph"
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
            let player = DemoPlayer(
                workspace: server.root.path + "/live",
                lines: DemoPlayer.lines(of: Self.recording.joined(separator: "\n")),
                logger: TestLogger.make())
            let start = WallClock.milliseconds()
            let playing = Task { try await player.run() }
            defer { playing.cancel() }
            var rounds: [String] = []
            try await eventually(within: .seconds(20), "two rounds") {
                rounds = try server.root.names(in: "live/.ralph").filter { $0.hasPrefix("events-") }.sorted()
                return try rounds.count == 2 && lines(of: rounds[1], in: directory).count == 3
            }
            playing.cancel()
            // Its end is no failure.
            try await playing.value

            let pointer = try String(contentsOfFile: directory + "/current-events", encoding: .utf8)
            #expect(pointer == ".ralph/" + rounds[1])
            let times = try rounds.flatMap { try Self.expectPlayed(lines(of: $0, in: directory)) }
            #expect(times == times.sorted() && times[0] >= start)
            #expect(times[3] - times[2] >= 1900)
            let id = try await server.waitForSession("live", events: 6)
            let page = try await server.get("/api/sessions/\(id)/history?after_seq=0").object()
            let payloads = (page["events"] as? [[String: Any]])?.compactMap { $0["payload"] as? String }
            #expect(payloads?.count { $0 == "one" } == 2)
        }
    }

    /// Checks that `lines` are those of the recording, but for their times.
    ///
    /// - Returns: these, milliseconds since 1970.
    private static func expectPlayed(_ lines: [String]) throws -> [Int64] {
        let played = try lines.map(object)
        let times = try played.map { line in
            let text = try #require(line["ts"] as? String)
            return try #require(Timestamp.parse(Array(text.utf8)))
        }
        for (line, recorded) in zip(played, try recording.map(object)) {
            for (name, value) in recorded where name != "ts" {
                #expect(line[name] as? AnyHashable == value as? AnyHashable)
            }
            #expect(line.count == recorded.count)
        }
        // A timer may be early by less than a millisecond, and times are cut to whole ones.
        #expect(times[1] - times[0] >= 118 && times[2] - times[1] >= 78)
        return times
    }

    private static func object(_ line: String) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }

    /// The finished lines of a file.
    private func lines(of name: String, in directory: String) throws -> [String] {
        let text = try String(contentsOfFile: directory + "/" + name, encoding: .utf8)
        return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
    }

    @Test func `a silence is as long as it was, and no longer than four seconds`() {
        let lines = DemoPlayer.lines(
            of: """
                {"ts":"2026-11-21T03:20:36Z","topic":"a"}
                {"topic":"b"}
                {"topic":"c","ts":"2026-11-21T03:20:38.500Z"}
                {"topic":"d","ts":"2026-11-21T04:20:38Z"}
                {"topic":"e","ts":"2026-11-21T03:00:00Z"}
                """)

        #expect(
            lines.map(\.delay) == [.zero, .zero, .milliseconds(2500), .seconds(4), .zero])
        #expect(DemoPlayer.stamped(lines[1].text, 0) == lines[1].text)
    }
}
