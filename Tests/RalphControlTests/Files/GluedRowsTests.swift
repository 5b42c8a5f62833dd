import Foundation
import RalphSessions
import RalphTestSupport
import Testing

@testable import RalphControl

/// Lines that are not one row: a writer died between a row and its LF, or within the row (contract 2.4).
@Suite(.timeLimit(.minutes(1))) struct GluedRowsTests {
    private static let emit = #"{"topic":"a.b","payload":"late","ts":"2026-01-01T00:01:30Z"}"#
    private static let torn = #"{"topic":"a.b","payload":"la"#
    private static let nuls = String(repeating: "\u{0}", count: 40)
    private static let again = SessionScene.start.replacing("00:00:00Z", with: "00:02:00Z")
    private static let againTime: Int64 = 1_767_225_720_000

    @Test(arguments: [emit, torn, nuls, emit + torn, emit + nuls, SessionScene.summary, "\u{FEFF}"])
    func `a start is seen behind what its line begins with`(opening: String) async throws {
        try await withTemporaryDirectory { root in
            let lines = [SessionScene.start, SessionScene.end, opening + Self.again]
            let scene = try SessionScene(root, lines: lines)

            #expect(scene.writer.lastRun() == .open)
            #expect(scene.writer.lastStart() == Self.againTime)
            #expect(try scene.writer.terminateLastRun(reason: "interrupted", at: 0))
            #expect(scene.writer.lastRun() == .ended(reason: "interrupted"))
            #expect(try !scene.writer.terminateLastRun(reason: "interrupted", at: 0))
        }
    }

    @Test(arguments: [emit, torn, nuls, emit + torn, emit + nuls, SessionScene.summary])
    func `an end is seen behind what its line begins with`(opening: String) async throws {
        try await withTemporaryDirectory { root in
            let scene = try SessionScene(root, lines: [SessionScene.start, opening + SessionScene.end])

            #expect(scene.writer.lastRun() == .ended(reason: "stopped"))
            #expect(scene.writer.endReason(since: 0) == "stopped")
            #expect(scene.writer.endReason(since: Self.againTime) == nil)
            let row = EventRow.user(marker: "cmd_1", topic: "a", payload: Array("null".utf8), at: 0)
            try scene.writer.append(row)
            #expect(scene.writer.endReason(since: 0, before: "cmd_1") == "stopped")
        }
    }

    @Test func `the newest mark of a line counts`() async throws {
        try await withTemporaryDirectory { root in
            let scene = try SessionScene(root, lines: [SessionScene.end + Self.again])
            #expect(scene.writer.lastRun() == .open)
            #expect(scene.writer.endReason(since: 0) == nil)

            try root.append(SessionScene.events, Self.again + SessionScene.end + "\n")
            #expect(scene.writer.lastRun() == .ended(reason: "stopped"))
            #expect(scene.writer.endReason(since: 0) == "stopped")
        }
    }

    @Test func `bytes that are no text do not hide a row`() async throws {
        try await withTemporaryDirectory { root in
            let scene = try SessionScene(root, lines: [SessionScene.start, SessionScene.end])
            let start = Self.again.replacing("\"p\"", with: "\"#\"")
            let half = Array(Self.torn.utf8) + [0xC3]
            let before = Array((SessionScene.start + "\n" + SessionScene.end + "\n").utf8)
            for opening in [[], half, Array(Self.emit.utf8)] {
                let line = opening + start.utf8.map { $0 == UInt8(ascii: "#") ? 0xFF : $0 }
                try root.write(SessionScene.events, bytes: before + line + [0x0A])

                #expect(scene.writer.lastRun() == .open)
                #expect(scene.writer.lastStart() == Self.againTime)
            }
        }
    }

    @Test func `a start whose prompt speaks of summaries is one`() async throws {
        try await withTemporaryDirectory { root in
            let start = Self.again.replacing("\"p\"", with: "\"read each iteration.summary\"")
            let scene = try SessionScene(root, lines: [SessionScene.start, SessionScene.end, start])
            #expect(scene.writer.lastRun() == .open)
        }
    }

    @Test func `more NULs than a line may be long do not hide the row behind them`() async throws {
        try await withTemporaryDirectory { root in
            let scene = try SessionScene(root, lines: [SessionScene.start, SessionScene.end])
            let nuls = [UInt8](repeating: 0, count: BackwardLines.maximumLineBytes + (1 << 20))
            let before = Array((SessionScene.start + "\n" + SessionScene.end + "\n").utf8)
            let line = nuls + Array((Self.again + "\n").utf8)
            try root.write(SessionScene.events, bytes: before + line)

            #expect(scene.writer.lastRun() == .open)
        }
    }

    @Test func `an end that Ralph does not find is told again, unless rows wait behind it`() async throws {
        try await withTemporaryDirectory { root in
            let scene = try SessionScene(root, lines: [SessionScene.start, Self.emit + SessionScene.end])
            #expect(try scene.writer.terminateLastRun(reason: "interrupted", at: 0))
            let last = scene.text(SessionScene.events)?.split(separator: "\n").last ?? ""
            #expect(EventRow(Array(last.utf8))?.payload?.hasPrefix("## Reason\nstopped\n") == true)
            #expect(try !scene.writer.terminateLastRun(reason: "interrupted", at: 0))
        }
        try await withTemporaryDirectory { root in
            let lines = [SessionScene.start, Self.emit + SessionScene.end, Self.emit]
            let scene = try SessionScene(root, lines: lines)
            #expect(try !scene.writer.terminateLastRun(reason: "interrupted", at: 0))
        }
    }

    @Test func `an end that a person appends ends no run`() async throws {
        try await withTemporaryDirectory { root in
            let scene = try SessionScene(root)
            let row = EventRow.user(
                marker: "cmd_1", topic: "loop.terminate", payload: Array("null".utf8), at: Self.againTime)
            try scene.writer.append(row)
            #expect(scene.writer.endReason(since: 0, before: "cmd_1") == nil)
            #expect(scene.writer.endReason(since: 0) == nil)
        }
    }

    @Test func `rows that Ralph skips are no repeats, but a run can end among them`() async throws {
        try await withTemporaryDirectory { root in
            let row = #"{"topic":"a.b","payload":{"z":1,"a":[1e100,"x"]},"ts":"2026-01-01T00:01:30Z"}"#
            let scene = try SessionScene(root, lines: [row, Self.emit + row, row])
            let value = try #require(JSONValueText(#"{"a":[1e100,"x"],"z":1}"#))
            let repeats = { scene.writer.repeats(of: "a.b") { $0 == value.payload } }
            #expect(repeats() == 2)

            try root.append(SessionScene.events, Self.emit + SessionScene.end + "\n" + row + "\n")
            #expect(repeats() == 1)
        }
    }
}
