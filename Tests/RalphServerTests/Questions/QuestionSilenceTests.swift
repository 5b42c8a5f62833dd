import Foundation
import RalphControl
import RalphTestSupport
import RalphWire
import Testing

@testable import RalphServer

/// Questions whose files are not known, or not yet: their file system does not answer, or takes its time.
@Suite(.timeLimit(.minutes(1)))
struct QuestionSilenceTests {
    private static let kind = QuestionPorts.questionsKind

    @Test func `a workspace that does not answer holds up no other one's questions`() async throws {
        try await withTemporaryDirectory { directory in
            let locks = try ["a", "b"].map { name in
                try directory.write("\(name)/.ralph/events.jsonl", RunningServer.lines(1...2, when: true))
                return try directory.holdLock(of: name)
            }
            defer {
                // They are freed with the descriptors in any case.
                for lock in locks { try? lock.close() }
            }
            try await withServerParts(in: directory) { server, parts in
                let ids = [
                    try await server.waitForSession("a", events: 2),
                    try await server.waitForSession("b", events: 2),
                ]
                let gate = try await parts.threads.hold(directory.path + "/a", of: Self.kind)
                defer { gate.open() }
                let ts = Date.now.ISO8601Format()
                for name in ["a", "b"] {
                    try directory.append(
                        "\(name)/.ralph/events.jsonl",
                        #"{"topic":"human.interact","payload":{"question":"?"},"ts":"\#(ts)"}"# + "\n")
                }
                try await eventually(within: .seconds(20), "the other one's question") {
                    parts.questions.list().map { "\($0.session)" } == [ids[1]]
                }
                gate.open()
                try await eventually(within: .seconds(20), "both questions") {
                    Set(parts.questions.list().map { "\($0.session)" }) == Set(ids)
                }
            }
        }
    }

    @Test func `an answer to a run whose files do not answer is told so and can be given again`() async throws
    {
        var setup = StandInSetup(
            steps: "iteration 1:\n  ask Which format?\niteration 2:\n  wait-for .ralph-end\n")
        setup.sections = "RObot: {enabled: true, mode: web, timeout_seconds: 0}"
        try await withStandInWorkspace(setup) { workspace in
            try await withServerParts(in: workspace.outside, { $0.ralph = StandIn.ralph }) { server, parts in
                let session = try await server.start()
                try await eventually(within: .seconds(20), "a run that waits") {
                    parts.questions.list().first?.isBlocking == true
                }
                let id = try #require(parts.questions.list().first?.id)
                let body = #"{"question_id":"\#(id)","response_text":"JSON"}"#
                let gate = try await parts.threads.hold(workspace.path, of: Self.kind)
                defer { gate.open() }

                let refused = try await server.post("/api/robot/response", body)
                #expect(refused.status == 503)
                #expect(try refused.object()["error"] as? String == "file_system_silent")
                gate.open()
                #expect(try await server.post("/api/robot/response", body).status == 200)
                _ = try await server.send("DELETE", "/api/sessions/\(session)?force=1")
            }
        }
    }

    @Test func `files that are not known close nothing, and are looked at again`() async throws {
        let stage = QuestionStage()
        let book = try stage.book()
        stage.ask("A", at: 0)
        await book.step()
        stage.onReading { false }
        stage.change { $0.rows = [] }
        stage.clock.move(to: 200_000)
        await book.step()
        await book.step()
        #expect(stage.told == [])
        stage.onReading { true }
        stage.clock.move(to: 201_000)
        await book.step()

        #expect(stage.told == [.answered])
    }

    @Test func `a held answer waits until the files are known`() async throws {
        let (stage, book, id) = try await QuestionStage.waitingAhead()
        _ = try await book.answer(id, with: "yes", by: .unrevocable("test"), patience: .zero)
        stage.change { $0.telegramAskedAt = 8000 }
        stage.clock.move(to: 9000)
        stage.refuse(1)
        await book.step()
        stage.onReading { false }
        stage.clock.move(to: 12_000)
        await book.step()
        let again = try await book.answer(id, with: "yes", by: .unrevocable("test"), patience: .zero)
        #expect(again.isPending && stage.delivered.isEmpty)
        stage.onReading { true }
        stage.clock.move(to: 15_000)
        await book.step()

        #expect(stage.delivered == ["yes"])
    }

    @Test func `an answer is delivered while files are read, and is nobody else's by what they said`()
        async throws
    {
        let stage = QuestionStage()
        let book = try stage.book()
        stage.ask("A", at: 0)
        await book.step()
        let id = try #require(book.list().first?.id)
        let (begun, end) = (Landing<Bool>(), Landing<Void>())
        stage.onReading {
            begun.settle(true)
            await end.settled()
            return true
        }
        stage.change { _ in }
        async let step: Void = book.step()
        defer { end.settle(()) }
        #expect(await begun.value(within: .seconds(10), otherwise: false))

        #expect(try await book.answer(id, with: "yes", by: .unrevocable("test")).isPending == false)
        stage.change { $0.rows = [] }
        end.settle(())
        await step
        #expect(stage.delivered == ["yes"] && stage.told == [.answered])
        #expect(book.list().isEmpty)
    }

    @Test func `time takes no question behind an outage before the files were read`() async throws {
        let stage = QuestionStage()
        let book = try stage.book()
        stage.ask("A", at: 0)
        stage.letStore(false)
        await book.step()
        stage.letStore(true)
        await book.step()
        let (begun, end) = (Landing<Bool>(), Landing<Void>())
        stage.onReading {
            begun.settle(true)
            await end.settled()
            return true
        }
        stage.clock.move(to: 300_000)
        async let step: Void = book.step()
        defer { end.settle(()) }
        #expect(await begun.value(within: .seconds(10), otherwise: false))
        #expect(await book.isHeldUp)
        #expect(stage.told == [])

        end.settle(())
        await step
        #expect(await book.isHeldUp == false)
        #expect(stage.told == [.expired])
    }

    @Test func `what an earlier read found never counts behind what a later one did`() {
        var reads = QuestionReads()
        let session = QuestionStage.session
        var (first, second, third) = (reads.begin(session), reads.begin(session), reads.begin(session))
        (first.files, second.files) = (QuestionFiles(telegramAskedAt: 1), QuestionFiles(telegramAskedAt: 2))
        third.files = nil

        #expect(reads.end(second)?.telegramAskedAt == 2)
        #expect(reads.end(first)?.telegramAskedAt == 2)
        #expect(reads.end(third) == nil)
        let last = reads.begin(session)
        #expect(reads.end(last) == nil)
    }
}
