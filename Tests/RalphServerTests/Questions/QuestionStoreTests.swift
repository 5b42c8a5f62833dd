import RalphControl
import RalphSessions
import RalphTestSupport
import Synchronization
import Testing

@testable import RalphServer

/// Questions while files cannot be read or nothing can be stored.
@Suite(.timeLimit(.minutes(1)))
struct QuestionStoreTests {
    @Test func `an answer that lies in a file goes before the time, after a start`() async throws {
        let stage = QuestionStage()
        stage.ask("A", at: 0)
        await (try stage.book()).step()
        stage.clock.move(to: 200_000)
        let scan = Landing<Void>()
        let book = try stage.book { await scan.value(within: .seconds(60), otherwise: ()) }
        try await stage.running(book) {
            try await eventually(within: .seconds(5), "a look") { await book.isHeldUp }
            #expect(stage.told == [])
            stage.change { $0.rows = [] }
            scan.settle(())
            try await eventually(within: .seconds(5), "an event") { !stage.told.isEmpty }
        }

        #expect(stage.told == [.answered])
    }

    @Test func `an answer that could not be stored in time goes before the time`() async throws {
        let stage = QuestionStage()
        let book = try stage.book()
        stage.ask("A", at: 0)
        await book.step()
        stage.letStore(false)
        stage.clock.move(to: 200_000)
        await book.step()
        #expect(stage.told == [])
        stage.letStore(true)
        await book.step()
        // What was kept back is stored one after the other.
        stage.clock.move(to: 202_000)
        stage.change { $0.rows = [] }
        await book.step()
        stage.clock.move(to: 204_000)
        await book.step()

        #expect(stage.told == [.answered])
    }

    /// To which the clock is set.
    @Test(arguments: [300_000, 1] as [Int64])
    func `time takes its questions again when the store works`(_ clock: Int64) async throws {
        let stage = QuestionStage()
        stage.clock.move(to: 10_000)
        let book = try stage.book()
        stage.ask("A", at: 0)
        stage.letStore(false)
        await book.step()
        stage.letStore(true)
        await book.step()
        #expect(await book.isHeldUp)
        #expect(stage.told == [])
        stage.clock.move(to: clock)
        await book.step()

        #expect(await book.isHeldUp == false)
        #expect(stage.told == (clock == 1 ? [] : [.expired]))
    }

    @Test func `an end that could not be stored is stored later and not told again`() async throws {
        let stage = QuestionStage()
        let book = try stage.book()
        stage.ask("A", at: 0)
        await book.step()
        stage.clock.move(to: 100_000)
        stage.breakStore(true)
        await book.step()
        await book.step()
        #expect(stage.saved.map(\.standing) == [.open])
        #expect(book.losses.load(ordering: .relaxed) == 1)
        stage.breakStore(false)
        await book.step()
        #expect(stage.saved.map(\.standing) == [.expired])

        await (try stage.book()).step()
        #expect(stage.told == [.expired])
    }

    @Test func `what could not be stored is tried once more at the end`() async throws {
        let stage = QuestionStage()
        let book = try stage.book()
        stage.ask("A", at: 0)
        stage.breakStore(true)
        try await stage.running(book) {
            try await eventually(within: .seconds(5), "a question") { book.list().count == 1 }
            stage.breakStore(false)
        }

        #expect(stage.saved.map(\.text) == ["A"])
    }

    @Test func `an answer to a due question asks the files first`() async throws {
        let stage = QuestionStage()
        let book = try stage.book()
        stage.ask("A", at: 0)
        stage.change { $0.telegramAskedAt = 0 }
        await book.step()
        let id = try #require(book.list().first?.id)
        stage.clock.move(to: 500_000)
        #expect(book.list().map(\.id) == [id])
        stage.change { $0.telegramAskedAt = nil }
        await #expect(throws: QuestionError.expired(.expired)) {
            try await book.answer(id, with: "yes", by: .unrevocable("test"))
        }
        stage.change { $0.telegramAskedAt = 0 }

        #expect(try await book.answer(id, with: "yes", by: .unrevocable("test")).isPending == false)
    }

    @Test func `a question whose session is not found any more ends with its time`() async throws {
        let stage = QuestionStage()
        stage.ask("A", at: 0)
        stage.change { $0.telegramAskedAt = 0 }
        await (try stage.book()).step()
        #expect(stage.saved.map(\.isBlocking) == [true])
        stage.forget()
        stage.clock.move(to: 200_000)
        let book = try stage.book()
        for time in [200_000, 200_600] as [Int64] {
            stage.clock.move(to: time)
            await book.step()
        }

        #expect(stage.told == [.expired])
    }

    @Test(arguments: [true, false])
    func `a question without a time limit ends with a session that was removed meanwhile`(
        _ isRemoved: Bool
    ) async throws {
        let stage = QuestionStage()
        stage.ask("A", at: 0, timeout: 0)
        await (try stage.book()).step()
        isRemoved ? stage.remove() : stage.forget()
        let book = try stage.book {}
        try await stage.running(book) {
            try await eventually(within: .seconds(5), "a look") {
                stage.clock.move(to: stage.clock.now + 1000)
                return await !book.isHeldUp
            }
        }

        #expect(stage.told == (isRemoved ? [.expired] : []))
        #expect(stage.saved.map(\.standing) == [isRemoved ? .ended : .open])
    }

    @Test func `a question that only the robot's file tells of is seen after an outage`() async throws {
        let stage = QuestionStage()
        stage.letStore(false)
        let book = try stage.book()
        await book.step()
        stage.letStore(true)
        var scene = QuestionScene()
        scene.waitOnWeb("A", second: 0)
        let web = scene.facts.web
        stage.change { $0.web = web }
        await book.step()
        try await stage.running(book) {
            // Nothing but its own clock wakes it.
            try await eventually(within: .seconds(10), "the question") {
                stage.clock.move(to: stage.clock.now + 100)
                return book.list().map(\.text) == ["A"]
            }
        }
    }

    /// An answer, "yes", that is held when nothing can be stored any more.
    private static func held() async throws -> (QuestionStage, QuestionBook, String) {
        let (stage, book, id) = try await QuestionStage.waitingAhead()
        #expect(
            try await book.answer(id, with: "yes", by: .unrevocable("test"), patience: .zero).isPending)
        stage.letStore(false)
        return (stage, book, id)
    }

    /// Whether the run has gone on meanwhile, and waits for the answer to another question.
    @Test(arguments: [true, false])
    func `a held answer waits while it is not known what its run waits for`(_ isOvertaken: Bool) async throws
    {
        let (stage, book, id) = try await Self.held()
        stage.change { $0.telegramAskedAt = 8000 }
        stage.clock.move(to: 9000)
        await book.step()
        let again = try await book.answer(id, with: "yes", by: .unrevocable("again"), patience: .zero)
        #expect(again.isPending)
        #expect(stage.delivered.isEmpty)

        stage.change { $0.rows[0].isOvertaken = isOvertaken }
        stage.letStore(true)
        try await stage.running(book) {
            // Nothing but its own clock wakes it.
            try await eventually(within: .seconds(10), "the answer or its end") {
                stage.clock.move(to: stage.clock.now + 500)
                return !stage.told.isEmpty
            }
        }
        #expect(stage.told == [isOvertaken ? .expired : .answered])
        #expect(stage.delivered == (isOvertaken ? [] : ["yes"]))
    }

    @Test func `a held answer goes into a robot's file, which names its question, in any case`() async throws
    {
        let (stage, book, _) = try await Self.held()
        var scene = QuestionScene()
        scene.waitOnWeb("A", second: 0)
        let web = scene.facts.web
        stage.change { $0.web = web }
        await book.step()

        #expect(stage.delivered == ["yes"])
    }

    @Test func `no session is given up while nothing can be stored`() async throws {
        let stage = QuestionStage()
        stage.ask("A", at: 0)
        let book = try stage.book()
        await book.step()
        stage.letStore(false)
        for time in [10_000, 20_000, 30_000] as [Int64] {
            stage.clock.move(to: time)
            stage.change { $0.isOver = true }
            await book.step()
        }

        #expect(stage.told == [])
    }
}
