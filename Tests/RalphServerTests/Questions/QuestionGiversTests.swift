import Foundation
import RalphControl
import RalphTestSupport
import RalphWire
import Testing

@testable import RalphServer

/// Answers that are held over a restart, and the devices that gave them.
@Suite(.timeLimit(.minutes(1)))
struct QuestionGiversTests {
    /// A run that will wait for its answer, "yes", which `devices` gave.
    private static func held(by devices: [String]) async throws -> (QuestionStage, QuestionBook, String) {
        let (stage, book, id) = try await QuestionStage.waitingAhead()
        for device in devices { try await give(stage.requester(device), id, book) }
        return (stage, book, id)
    }

    private static func give(_ requester: Requester, _ id: String, _ book: QuestionBook) async throws {
        #expect(try await book.answer(id, with: "yes", by: requester, patience: .zero).isPending)
    }

    /// Lets the run wait, and `book` see it.
    private static func wait(_ stage: QuestionStage, _ book: QuestionBook) async {
        stage.change { $0.telegramAskedAt = 8000 }
        stage.clock.move(to: 9000)
        await book.step()
    }

    private static func stored(_ stage: QuestionStage) -> [String]? { stage.saved.first?.reply?.devices }

    @Test(arguments: [true, false])
    func `a held answer of a device that was revoked before a restart leaves the question to others`(
        _ isRevoked: Bool
    ) async throws {
        let (stage, _, id) = try await Self.held(by: ["a"])
        #expect(Self.stored(stage) == ["a"])
        if isRevoked { stage.revoke("a") }
        let book = try stage.book()
        await Self.wait(stage, book)
        #expect(stage.delivered == (isRevoked ? [] : ["yes"]))
        #expect(book.list().map(\.id) == (isRevoked ? [id] : []))
        guard isRevoked else { return }

        #expect(stage.saved.first?.reply == nil)
        _ = try await book.answer(id, with: "no", by: .unrevocable("test"))
        #expect(stage.delivered == ["no"])
    }

    /// Whether the book has looked before the other answer comes.
    @Test(arguments: [true, false])
    func `a held answer of revoked devices leaves the question to others before its run waits`(
        _ isSeen: Bool
    ) async throws {
        let (stage, book, id) = try await Self.held(by: ["a", "b"])
        stage.revoke("a")
        await book.step()
        #expect(book.list().isEmpty)
        stage.revoke("b")
        if isSeen {
            await book.step()
            #expect(book.list().map(\.id) == [id])
            #expect(stage.saved.first?.reply == nil)
        }
        let other = try await book.answer(id, with: "no", by: .unrevocable("owner"), patience: .zero)
        #expect(other.isPending)
        #expect(stage.saved.first?.reply?.text == "no")
        await Self.wait(stage, book)

        #expect(stage.delivered == ["no"])
    }

    @Test func `a revoke wakes the book, and whoever waits with the dropped answer is refused`() async throws
    {
        let (stage, book, id) = try await Self.held(by: ["a"])
        let device = stage.requester("a")
        try await stage.running(book) {
            stage.ask("B", at: 1)
            try await eventually(within: .seconds(10), "a look") { book.list().map(\.text) == ["B"] }
            async let waiting = book.answer(id, with: "yes", by: device)
            stage.revoke("a")
            book.noteRevocation()
            try await eventually(within: .seconds(10), "the question") {
                book.list().map(\.text) == ["A", "B"]
            }
            do {
                _ = try await waiting
                Issue.record("it was taken")
            } catch {
                #expect((error as? Problem) == Problem.unauthorized)
            }
        }
        #expect(stage.saved.allSatisfy { $0.reply == nil })
    }

    @Test func `a device that gives its answer again behind a restart can still be revoked`() async throws {
        let (stage, _, id) = try await Self.held(by: ["a"])
        let book = try stage.book()
        await book.step()
        try await Self.give(stage.requester("a"), id, book)
        stage.revoke("a")
        await Self.wait(stage, book)

        #expect(stage.delivered.isEmpty)
        #expect(book.list().map(\.id) == [id])
    }

    @Test func `a held answer is dropped between two tries behind a restart, too`() async throws {
        let (stage, _, id) = try await Self.held(by: ["a"])
        let book = try stage.book()
        stage.refuse(1)
        await Self.wait(stage, book)
        #expect(stage.saved.first?.reply?.text == "yes")
        stage.revoke("a")
        stage.clock.move(to: 10_000)
        await book.step()

        #expect(stage.delivered.isEmpty)
        #expect(book.list().map(\.id) == [id])
    }

    @Test(arguments: ["a", "b"])
    func `a held answer of two devices goes to its run behind a restart as long as one may`(
        _ revoked: String
    ) async throws {
        let (stage, _, _) = try await Self.held(by: ["a", "b"])
        stage.revoke(revoked)
        await Self.wait(stage, try stage.book())

        #expect(stage.delivered == ["yes"])
    }

    /// Who else gave it: somebody before the restart, or behind it, or a device behind it.
    @Test(arguments: [0, 1, 2])
    func `a held answer that others gave, too, is not lost with a device`(_ place: Int) async throws {
        let (stage, before, id) = try await Self.held(by: ["a"])
        if place == 0 { try await Self.give(.unrevocable("owner"), id, before) }
        let book = try stage.book()
        await book.step()
        if place == 1 { try await Self.give(.unrevocable("owner"), id, book) }
        if place == 2 { try await Self.give(stage.requester("b"), id, book) }
        let expected: [String]? = place == 2 ? ["a", "b"] : nil
        #expect(Self.stored(stage) == expected)
        stage.revoke("a")
        await Self.wait(stage, try stage.book())

        #expect(stage.delivered == ["yes"])
    }

    @Test func `who gave a held answer, too, is stored later where that fails`() async throws {
        let (stage, before, id) = try await Self.held(by: ["a"])
        stage.breakStore(true)
        try await Self.give(stage.requester("b"), id, before)
        #expect(Self.stored(stage) == ["a"])
        stage.breakStore(false)
        await before.step()

        #expect(Self.stored(stage) == ["a", "b"])
    }

    @Test func `a held answer that an earlier version stored is delivered`() async throws {
        let (stage, _, _) = try await Self.held(by: ["a"])
        var question = try #require(stage.saved.first)
        question.reply?.devices = nil
        let stored = try JSONEncoder().encode(question)
        #expect(!String(decoding: stored, as: UTF8.self).contains("devices"))
        stage.put(try JSONDecoder().decode(Question.self, from: stored))
        stage.revoke("a")
        await Self.wait(stage, try stage.book())

        #expect(stage.delivered == ["yes"])
    }

    @Test func `64 devices are stored with an answer, each once, and none with one that is delivered`()
        async throws
    {
        let (stage, book, id) = try await Self.held(by: (1...64).map { "\($0)" })
        let elsewhere = Requester("elsewhere", device: "1") { true }
        try await Self.give(elsewhere, id, book)
        #expect(Self.stored(stage)?.count == 64)
        let question = try #require(stage.saved.first)
        let stored = try JSONEncoder().encode(question)
        #expect(try JSONDecoder().decode(Question.self, from: stored) == question)
        await Self.wait(stage, book)
        #expect(stage.saved.first?.standing == .answered && Self.stored(stage) == nil)

        let (more, _, _) = try await Self.held(by: (1...65).map { "\($0)" })
        #expect(Self.stored(more) == nil)
    }
}
