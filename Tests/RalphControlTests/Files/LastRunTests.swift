import Foundation
import RalphSessions
import RalphTestSupport
import Testing

@testable import RalphControl

@Suite(.timeLimit(.minutes(1))) struct LastRunTests {
    private static let guidance =
        #"{"payload":"x loop.terminate \"loop\"","topic":"human.guidance","ts":"t"}"#

    @Test(arguments: [
        ([], EventsFileWriter.LastRun.none),
        ([SessionScene.start], .open),
        ([SessionScene.start, SessionScene.summary, SessionScene.end], .ended(reason: "stopped")),
        ([SessionScene.start, SessionScene.end, guidance], .ended(reason: "stopped")),
        ([SessionScene.start, SessionScene.end, SessionScene.start], .open),
        ([SessionScene.end, SessionScene.start, "{\"half", ""], .open),
        ([guidance], .open),
        ([#"{"topic":"loop.terminate","payload":null,"hat":"loop","ts":"t"}"#], .ended(reason: "unknown")),
        // What is appended for a killed run, and what an agent emits.
        (
            [###"{"topic":"loop.terminate","payload":"## Reason\ninterrupted","ts":"t"}"###],
            .ended(reason: "interrupted")
        ),
        ([SessionScene.start, #"{"topic":"loop.terminate","payload":"all done","ts":"t"}"#], .open),
        ([###"{"topic":"loop.terminate","payload":"## Reason\nx","source":"user","ts":"t"}"###], .open),
    ])
    func `the last run is over if its end is the last of its marks`(
        lines: [String], expected: EventsFileWriter.LastRun
    ) async throws {
        try await withTemporaryDirectory { root in
            let scene = try SessionScene(root, lines: lines)
            #expect(scene.writer.lastRun() == expected)
        }
    }

    @Test(arguments: [
        ([SessionScene.start, SessionScene.summary], String?.none),
        ([SessionScene.start, SessionScene.end], "stopped"),
        ([SessionScene.start, SessionScene.end, guidance], "stopped"),
        ([SessionScene.start, SessionScene.end, SessionScene.start], nil),
    ])
    func `a row is told from one behind the end`(lines: [String], reason: String?) async throws {
        try await withTemporaryDirectory { root in
            let scene = try SessionScene(root, lines: lines)
            let row = EventRow.user(marker: "cmd_1", topic: "a", payload: Array("null".utf8), at: 0)
            try scene.writer.append(row)
            #expect(scene.writer.endReason(since: 0, before: "cmd_1") == reason)
            // The end of a run before that one.
            #expect(scene.writer.endReason(since: 1_767_225_700_000, before: "cmd_1") == nil)

            // What came to an end later was read before.
            try scene.writer.append(Array(SessionScene.end.utf8))
            #expect(scene.writer.endReason(since: 0, before: "cmd_1") == nil)
        }
    }

    @Test func `an end before the first iteration is no start`() async throws {
        try await withTemporaryDirectory { root in
            let end = SessionScene.end.replacing("\"iteration\":1", with: "\"iteration\":0")
            let scene = try SessionScene(root, lines: [SessionScene.start, end])
            #expect(scene.writer.lastRun() == .ended(reason: "stopped"))
            #expect(scene.writer.lastStart() == 1_767_225_600_000)
        }
    }

    @Test func `the end is found behind many megabytes of other rows`() async throws {
        try await withTemporaryDirectory { root in
            let big = #"{"topic":"a","payload":"\#(String(repeating: "y", count: 700_000))","ts":"t"}"#
            let many = Array(repeating: Self.guidance, count: 5000)
            let lines = [SessionScene.start, SessionScene.end, big] + many + [big]

            let scene = try SessionScene(root, lines: lines)
            #expect(scene.writer.lastRun() == .ended(reason: "stopped"))
        }
    }

    @Test func `a run that was killed gets its end once`() async throws {
        try await withTemporaryDirectory { root in
            let scene = try SessionScene(root)

            #expect(try scene.writer.terminateLastRun(reason: "interrupted", at: 0))
            #expect(try !scene.writer.terminateLastRun(reason: "stopped", at: 0))

            #expect(scene.writer.lastRun() == .ended(reason: "interrupted"))
            #expect(
                try scene.payloads(of: "loop.terminate").first?.hasPrefix(
                    "## Reason\ninterrupted\n\n## Status\n") == true)
        }
    }

    @Test func `only events that stand in a row count as repeats`() async throws {
        try await withTemporaryDirectory { root in
            let scene = try SessionScene(root, lines: [Self.guidance, SessionScene.start])
            let append = { (text: String) in
                try scene.writer.append(
                    EventRow.user(marker: "m", topic: "human.guidance", payload: EventRow.string(text), at: 0)
                )
            }
            let repeats = { scene.writer.repeats(of: "human.guidance") { $0 == "a" } }

            #expect(repeats() == 0)
            try append("a")
            try root.append(SessionScene.events, SessionScene.summary + "\n")
            try append("a")
            #expect(repeats() == 2)
            try append("b")
            #expect(repeats() == 0)
        }
    }

    @Test func `what Ralph does not count stands between no repeats`() async throws {
        try await withTemporaryDirectory { root in
            let scene = try SessionScene(root, lines: [SessionScene.start])
            let append = { (topic: String, text: String) in
                try scene.writer.append(
                    EventRow.user(marker: "m", topic: topic, payload: EventRow.string(text), at: 0))
            }
            let repeats = { scene.writer.repeats(of: "a.b", uncounted: ["LOOP_COMPLETE"]) { $0 == "x" } }
            try append("a.b", "x")
            try append("LOOP_COMPLETE", "done")
            try append("a.b", "x")
            #expect(repeats() == 2)

            try root.append(SessionScene.events, SessionScene.end + "\n")
            #expect(repeats() == 0)
            try append("a.b", "x")
            let resumed = SessionScene.start.replacing("task.start", with: "task.resume")
            try root.append(SessionScene.events, resumed + "\n")
            #expect(repeats() == 1, "a continuation reads what came before it")
        }
    }

    private static func word(_ id: String) -> String {
        #"{"id":"\#(id)","payload":"w","source":"user","topic":"human.guidance","ts":"2026-01-01T00:00:10Z"}"#
    }

    private static func answer(_ id: String) -> String {
        word(id).replacing("human.guidance", with: "human.response")
    }

    private static let interrupted = SessionScene.end.replacing("stopped", with: "interrupted")
    private static let agents = #"{"topic":"iteration.summary","payload":"{}","ts":"2026-01-01T00:00:30Z"}"#

    @Test(arguments: [
        ([word("a"), SessionScene.summary, word("b"), SessionScene.summary, SessionScene.end], ["b"]),
        // What was interrupted has no summary of its own.
        ([word("a"), SessionScene.summary, word("b"), interrupted], ["b"]),
        ([word("a"), SessionScene.summary, interrupted], []),
        // What is no summary of Ralph's ends no iteration.
        ([word("a"), agents, word("b"), SessionScene.summary, SessionScene.end], ["a", "b"]),
        // An end that was glued to another row is told twice.
        ([word("a"), SessionScene.summary, agents + SessionScene.end, SessionScene.end], ["a"]),
        // An answer that was waited for comes first behind the summary; another one was not.
        (
            [
                SessionScene.summary, word("a"), answer("b"), answer("c"), agents, answer("d"),
                SessionScene.summary, SessionScene.end,
            ], ["a", "c", "d"]
        ),
        ([SessionScene.summary, word("a"), SessionScene.summary, answer("b"), SessionScene.end], ["a"]),
        ([word("a"), SessionScene.end, SessionScene.start, word("b"), SessionScene.end, word("b")], []),
    ])
    func `what was said during the last iteration was not read`(_ lines: [String], _ words: [String])
        async throws
    {
        try await withTemporaryDirectory { root in
            let scene = try SessionScene(root, lines: [SessionScene.start] + lines)
            let unread = try scene.writer.unreadWords(ofOneThatWaits: true)
            #expect(unread.compactMap(\.id) == words)
        }
    }

    @Test func `words that cannot be looked for are an error`() async throws {
        try await withTemporaryDirectory { root in
            let scene = try SessionScene(root, lines: [SessionScene.start, Self.word("a"), SessionScene.end])
            try root.remove(SessionScene.events)
            symlink(root.path + "/elsewhere", root.path + "/" + SessionScene.events)
            #expect(throws: ControlError.self) { try scene.writer.unreadWords(ofOneThatWaits: false) }
        }
    }
}
