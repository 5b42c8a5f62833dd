import Foundation
import RalphFeed
import RalphSessions
import RalphTestSupport
import RalphWire
import Synchronization
import Testing

@testable import RalphServer

@Suite(.timeLimit(.minutes(1)))
struct ControlNoteTests {
    private static func event(_ type: String) -> ControlNote {
        .event(type: type, payload: #"{"a":1}"#, at: 1_795_231_236_000)
    }

    @Test func `a note is stored, published and shown when the post returns`() async throws {
        try await withIngest { scene in
            try scene.write("p", "events.jsonl", RunningServer.lines(1...3, when: true))
            scene.ingest.requestScan()
            let id = scene.id("p")
            try await eventually(within: .seconds(10), "three events") { scene.feed.head(of: id)?.last == 3 }

            let seq = try await scene.ingest.post(Self.event("session.paused"), to: id)
            #expect(seq == 4 && scene.feed.head(of: id)?.last == 4)
            #expect(try scene.event("p", 4)["type"] as? String == "session.paused")
            let before = scene.changes(of: id)
            #expect(try await scene.ingest.post(.requested(.pause, at: 7), to: id) == 4)
            #expect(scene.catalogue.entry(id)?.state.pauseRequestedAt == 7)
            #expect(scene.changes(of: id) == before + 1)
            #expect(scene.catalogue.noteCounters.posted.load(ordering: .relaxed) == 2)
        }
    }

    @Test func `a note comes behind what the session's files said before`() async throws {
        try await withIngest { scene in
            try scene.write("p", "events.jsonl", "")
            for round in 0..<30 {
                let line = RunningServer.lines((round + 1)...(round + 1), when: true)
                try scene.append("p", line)
                try await scene.ingest.post(Self.event("noted.\(round)"), to: scene.id("p"))
            }

            let noted = try scene.topics("p").filter { $0.hasPrefix("noted.") }
            #expect(noted == (0..<30).map { "noted.\($0)" })
            try await eventually(within: .seconds(10), "all lines") { try scene.topics("p").count == 60 }
        }
    }

    @Test func `a note comes behind all that was to be read before it, however much that is`() async throws {
        try await withIngest({ $0.noteDeadline = .zero }) { scene in
            try scene.write("p", "events.jsonl", RunningServer.lines(1...1, when: true))
            scene.ingest.requestScan()
            let id = scene.id("p")
            try await eventually(within: .seconds(10), "the first") { scene.feed.head(of: id)?.last == 1 }
            let text = String(repeating: "x", count: 20_000)
            let line = #"{"topic":"n.x","ts":"2026-11-21T03:20:36.100Z","payload":"\#(text)"}"# + "\n"

            try scene.append("p", String(repeating: line, count: 1500))
            // Three steps read it; nobody waits for them.
            await #expect(throws: ControlNoteProblem.timeout) { try await scene.ingest.readToEnd(of: id) }
            try await scene.ingest.tell(Self.event("noted"), to: id)

            try await eventually(within: .seconds(20), "all of it") { scene.feed.head(of: id)?.last == 1502 }
            #expect(try scene.event("p", 1502)["type"] as? String == "noted")
        }
    }

    @Test func `a note for a session that was just made waits until it is found`() async throws {
        try await withIngest(configure(rescan: .seconds(3600))) { scene in
            try scene.write("new", "events.jsonl", "")

            #expect(try await scene.ingest.post(Self.event("a"), to: scene.id("new")) == 1)
        }
    }

    @Test func `what is told late is told, and no loss`() async throws {
        try await withIngest({ $0.noteDeadline = .zero }) { scene in
            try scene.write("p", "events.jsonl", "")

            try await scene.ingest.tell(Self.event("a"), to: scene.id("p"))
            scene.catalogue.storeProblem = "full"
            try await scene.ingest.tell(Self.event("b"), to: scene.id("p"))

            try await eventually(within: .seconds(10), "both") { try scene.topics("p") == ["a", "b"] }
            #expect(scene.catalogue.noteCounters.refused.load(ordering: .relaxed) == 0)
        }
    }

    @Test func `a note for a session that is nowhere is refused`() async throws {
        try await withIngest { scene in
            await #expect(throws: ControlNoteProblem.unknownSession) {
                try await scene.ingest.post(Self.event("a"), to: scene.id("nowhere"))
            }
            #expect(scene.catalogue.noteCounters.unknown.load(ordering: .relaxed) == 1)
        }
    }

    @Test func `what becomes of a run whose directory is gone is told, and numbered on`() async throws {
        try await withIngest { scene in
            try scene.write("p", "events.jsonl", RunningServer.lines(1...3, when: true))
            scene.ingest.requestScan()
            let id = scene.id("p")
            try await eventually(within: .seconds(10), "three events") { scene.feed.head(of: id)?.last == 3 }
            try scene.remove("p")
            scene.ingest.requestScan()
            try await eventually(within: .seconds(10), "it is gone") {
                scene.catalogue.entry(id)?.isGone == true
            }
            let before = try #require(scene.feed.head(of: id)?.last)

            try await scene.ingest.post(.requested(.stop, at: 1_795_231_236_000), to: id)
            try await scene.ingest.post(.ended(reason: "stopped", at: 1_795_231_237_000), to: id)

            let told = try scene.topics("p").suffix(1)
            #expect(told == ["session.stopped"] && scene.feed.head(of: id)?.last == before + 1)
            #expect(scene.catalogue.entry(id)?.state.endReason == "stopped")

            try scene.write("p", "events.jsonl", RunningServer.lines(1...4, when: true))
            scene.ingest.requestScan()
            try await eventually(within: .seconds(10), "it is back") {
                scene.catalogue.entry(id)?.isGone == false
            }
            try await scene.ingest.post(Self.event("noted"), to: id)
            #expect(try scene.topics("p").last == "noted")
        }
    }

    @Test func `a session that is gone holds no lock any more`() async throws {
        try await withIngest { scene in
            try scene.write("p", "events.jsonl", RunningServer.lines(1...1, when: true))
            let lock = try scene.directory.holdLock(of: "r/p")
            scene.ingest.requestScan()
            let id = scene.id("p")
            try await eventually(within: .seconds(10), "its lock") {
                scene.catalogue.entry(id)?.liveness.pid == getpid()
            }
            try scene.remove("p")
            scene.ingest.requestScan()
            try await eventually(within: .seconds(10), "it is gone") {
                scene.catalogue.entry(id)?.isGone == true
            }

            let liveness = try #require(scene.catalogue.entry(id)?.liveness)
            #expect(!liveness.lockHeld && liveness.pid == nil)
            try lock.close()
        }
    }

    @Test func `many notes of many tasks are all stored, once`() async throws {
        try await withIngest { scene in
            for name in ["a", "b"] { try scene.write(name, "events.jsonl", "") }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<200 {
                    group.addTask {
                        try await scene.ingest.post(
                            Self.event("n.\(number)"), to: scene.id(number % 2 == 0 ? "a" : "b"))
                    }
                }
                try await group.waitForAll()
            }

            let topics = try scene.topics("a") + scene.topics("b")
            #expect(topics.sorted() == (0..<200).map { "n.\($0)" }.sorted())
        }
    }

    @Test func `a full inbox refuses`() async throws {
        let inbox = ControlNoteInbox(counters: ControlNoteCounters())
        let id = SessionID(digestPrefix: 1)
        for _ in 0..<ControlNoteInbox.capacity { _ = try inbox.add(Self.event("a"), to: id) }

        #expect(throws: ControlNoteProblem.busy) { _ = try inbox.add(Self.event("a"), to: id) }
        #expect(inbox.counters.refused.load(ordering: .relaxed) == 1)
        #expect(inbox.take().count == ControlNoteInbox.capacity)
        _ = try inbox.add(Self.event("a"), to: id)
    }

    @Test func `requests to read take no note's place, and are one until something is noted`() async throws {
        let inbox = ControlNoteInbox(counters: ControlNoteCounters())
        let (id, other) = (SessionID(digestPrefix: 1), SessionID(digestPrefix: 2))
        let first = try inbox.add(nil, to: id)
        for _ in 0..<ControlNoteInbox.capacity { try inbox.add(nil, to: id).settle(.failure(.timeout)) }
        _ = try inbox.add(nil, to: other)
        let second = try inbox.add(nil, to: id)
        for _ in 0..<ControlNoteInbox.capacity { _ = try inbox.add(Self.event("a"), to: id) }
        _ = try inbox.add(nil, to: id)
        #expect(throws: ControlNoteProblem.busy) { _ = try inbox.add(Self.event("a"), to: id) }

        let entries = inbox.take()
        #expect(entries.count == ControlNoteInbox.capacity + 3)
        #expect(entries.map(\.session).prefix(2) == [id, other])
        #expect(entries.count(where: { $0.note == nil }) == 3 && entries.last?.note == nil)
        for landing in try #require(entries.first).landings { landing.settle(.success(7)) }
        for landing in [first, second] {
            #expect(await landing.value(within: .zero, otherwise: .failure(.timeout)) == .success(7))
        }
    }

    @Test func `nobody who gave up stands behind a request to read any more`() async throws {
        let inbox = ControlNoteInbox(counters: ControlNoteCounters())
        let id = SessionID(digestPrefix: 1)
        for _ in 0..<3 {
            let landing = try inbox.add(nil, to: id)
            _ = await landing.value(within: .zero, otherwise: .failure(.timeout))
        }

        #expect(inbox.take().map(\.landings.count) == [1])
    }

    @Test func `who waits when the server stops is told, and later notes are refused`() async throws {
        let inbox = ControlNoteInbox(counters: ControlNoteCounters())
        let landing = try inbox.add(Self.event("a"), to: SessionID(digestPrefix: 1))
        inbox.close()

        let result = await landing.value(within: .seconds(60), otherwise: .failure(.timeout))
        #expect(result == .failure(.closed))
        #expect(throws: ControlNoteProblem.closed) {
            _ = try inbox.add(Self.event("a"), to: SessionID(digestPrefix: 1))
        }
    }

    @Test(.enabled(if: FullDisk.canBeMounted, "a small file system cannot be mounted here"))
    func `a note that cannot be stored in time is late, not lost`() async throws {
        try await withTemporaryDirectory { outer in
            let small = try #require(FullDisk(below: outer))
            defer { small.unmount() }
            try await withIngest(
                store: small.path + "/feed.sqlite", { $0.noteDeadline = .milliseconds(200) }
            ) { scene in
                let id = scene.id("p")
                try scene.write("p", "events.jsonl", "")
                try await eventually(within: .seconds(10), "the session") {
                    (try? await scene.ingest.post(Self.event("a"), to: id)) != nil
                }
                let filler = try small.fill()
                let large = ControlNote.event(
                    type: "large", payload: "{\"a\":\"" + String(repeating: "x", count: 60_000) + "\"}", at: 1
                )
                var late = 0
                for _ in 0..<100 where late == 0 {
                    do throws(ControlNoteProblem) { try await scene.ingest.post(large, to: id) } catch {
                        #expect(error == .timeout)
                        late += 1
                    }
                }
                #expect(late == 1)
                let stored = try scene.topics("p").count { $0 == "large" }

                try FileManager.default.removeItem(atPath: filler)
                try await eventually(within: .seconds(10), "the late note") {
                    try scene.topics("p").count { $0 == "large" } == stored + 1
                }
            }
        }
    }

    private func configure(rescan: Duration) -> (inout Ingest.Settings) -> Void {
        { $0.discovery.rescanInterval = rescan }
    }
}
