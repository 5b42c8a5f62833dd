import RalphControl
import RalphTestSupport
import RalphWire
import Synchronization
import Testing

@testable import RalphServer

/// Held answers that cannot be delivered when their run waits for them.
@Suite(.timeLimit(.minutes(1)))
struct QuestionRetryTests {
    /// A run that waits from second 9 on for an answer, "yes", that was given and said to be held.
    private static func held(
        by requester: Requester = .unrevocable("test"), timeout seconds: Int64? = 100
    ) async throws -> (QuestionStage, QuestionBook, String) {
        let stage = QuestionStage()
        stage.change { $0.doesWait = true }
        stage.ask("A", at: 0, timeout: seconds)
        let book = try stage.book()
        await book.step()
        let id = try #require(book.list().first?.id)
        #expect(try await book.answer(id, with: "yes", by: requester, patience: .zero).isPending)
        stage.change { $0.telegramAskedAt = 8000 }
        stage.clock.move(to: 9000)
        return (stage, book, id)
    }

    /// Counts what is tried from here on.
    private static func tries(_ stage: QuestionStage) -> Counted {
        let tries = Counted()
        stage.onTheWay { _ in tries.add() }
        return tries
    }

    /// Lets the time go by until the answer is there.
    private static func awaitDelivery(_ stage: QuestionStage) async throws {
        try await eventually(within: .seconds(10), "the delivery") {
            stage.clock.move(to: stage.clock.now + 1000)
            return stage.delivered == ["yes"]
        }
    }

    @Test func `a held answer that meets trouble is tried again and delivered once`() async throws {
        let (stage, book, _) = try await Self.held()
        let tries = Self.tries(stage)
        stage.refuse(1)
        await book.step()
        #expect(stage.saved.first?.reply?.text == "yes")
        stage.clock.move(to: 9999)
        await book.step()
        #expect(tries.count == 1 && stage.delivered.isEmpty)

        for second in [10, 11, 12, 50] as [Int64] {
            stage.clock.move(to: second * 1000)
            await book.step()
        }
        #expect(tries.count == 2)
        #expect(stage.delivered == ["yes"])
        #expect(stage.told == [.answered])
    }

    @Test func `the book wakes for the next try by itself`() async throws {
        let (stage, book, _) = try await Self.held()
        let tries = Self.tries(stage)
        stage.refuse(1)
        try await stage.running(book) {
            try await eventually(within: .seconds(10), "a try") { tries.count == 1 }
            try await Self.awaitDelivery(stage)
        }
        #expect(tries.count == 2)
    }

    @Test func `it is tried ever more rarely, and no more when its time is over`() async throws {
        let (stage, book, id) = try await Self.held()
        let tries = Self.tries(stage)
        stage.refuse(1000)
        await book.step()
        for second in 10...107 as ClosedRange<Int64> {
            stage.clock.move(to: second * 1000)
            await book.step()
        }
        // In the seconds 9, 10, 12, 16, 24, 40, 70 and 100.
        #expect(tries.count == 8)
        #expect(stage.told.isEmpty)

        stage.change { $0.telegramAskedAt = nil }
        for second in 108...300 as ClosedRange<Int64> {
            stage.clock.move(to: second * 1000)
            await book.step()
        }
        #expect(tries.count == 8)
        #expect(stage.told == [.expired])
        await #expect(throws: QuestionError.expired(.expired)) {
            try await book.answer(id, with: "yes", by: .unrevocable("test"))
        }
    }

    @Test func `a question without an end keeps its answer until its run ends`() async throws {
        let (stage, book, _) = try await Self.held(timeout: 0)
        let tries = Self.tries(stage)
        stage.refuse(1000)
        await book.step()
        stage.clock.move(to: 90_000_000)
        await book.step()
        #expect(tries.count == 2)
        stage.change { $0.runEndedAt = 90_000_000 }
        stage.clock.move(to: 99_000_000)
        await book.step()

        #expect(tries.count == 2)
        #expect(stage.told == [.expired])
    }

    @Test func `what was said of a held answer stays true between two tries`() async throws {
        let (stage, book, id) = try await Self.held()
        stage.refuse(1)
        await book.step()

        #expect(book.list().isEmpty)
        #expect(
            try await book.answer(id, with: "yes", by: .unrevocable("again"), patience: .zero).isPending)
        await #expect(throws: QuestionError.alreadyAnswered) {
            try await book.answer(id, with: "no", by: .unrevocable("other"), patience: .zero)
        }
        #expect(stage.delivered.isEmpty)
    }

    @Test func `whoever gives a held answer again waits for the next try`() async throws {
        let (stage, book, id) = try await Self.held()
        let tries = Self.tries(stage)
        stage.refuse(2)
        await book.step()
        stage.clock.move(to: 10_000)
        // The first of them makes the second try.
        async let first = book.answer(id, with: "yes", by: .unrevocable("first"))
        try await eventually(within: .seconds(10), "a second try") { tries.count == 2 }
        async let second = book.answer(id, with: "yes", by: .unrevocable("second"))
        try await stage.running(book) { try await Self.awaitDelivery(stage) }

        let deliveries = try await [first, second]
        #expect(deliveries.allSatisfy { !$0.isPending })
        #expect(deliveries[0] == deliveries[1])
        #expect(tries.count == 3)
    }

    @Test func `somebody else's answer between two tries counts`() async throws {
        let (stage, book, id) = try await Self.held()
        stage.refuse(1)
        await book.step()
        stage.change { $0.rows = [] }
        stage.clock.move(to: 20_000)
        await book.step()

        #expect(stage.delivered.isEmpty)
        #expect(stage.told == [.answered])
        #expect(stage.saved.first?.reply?.channel == "row")
        await #expect(throws: QuestionError.alreadyAnswered) {
            try await book.answer(id, with: "yes", by: .unrevocable("test"))
        }
    }

    @Test func `an answer of somebody who is revoked between two tries leaves the question to others`()
        async throws
    {
        let isKnown = Mutex(true)
        let (stage, book, id) = try await Self.held(by: Requester("device") { isKnown.withLock { $0 } })
        stage.refuse(1)
        await book.step()
        isKnown.withLock { $0 = false }
        stage.clock.move(to: 10_000)
        await book.step()

        #expect(stage.delivered.isEmpty)
        #expect(book.list().map(\.id) == [id])
        _ = try await book.answer(id, with: "no", by: .unrevocable("test"))
        #expect(stage.delivered == ["no"])
    }

    @Test func `whoever gives a held answer while it is on its way is noted, too`() async throws {
        let isKnown = Mutex(true)
        let (stage, book, id) = try await Self.held(by: Requester("device") { isKnown.withLock { $0 } })
        stage.refuse(1)
        let second = Requester.unrevocable("second")
        stage.onTheWay { [weak book] _ in
            _ = try await book?.answer(id, with: "yes", by: second, patience: .zero)
        }
        await book.step()
        stage.onTheWay { _ in }
        isKnown.withLock { $0 = false }
        stage.clock.move(to: 10_000)
        await book.step()

        #expect(stage.delivered == ["yes"])
    }

    @Test func `an answer whose device is revoked on its way stays that of whoever gave it meanwhile`()
        async throws
    {
        let isKnown = Mutex(true)
        let (stage, book, id) = try await Self.held(by: Requester("device") { isKnown.withLock { $0 } })
        stage.onTheWay { [weak book] _ in
            _ = try await book?.answer(id, with: "yes", by: .unrevocable("second"), patience: .zero)
            isKnown.withLock { $0 = false }
            throw Problem(.revoked, during: .answer)
        }
        await book.step()
        stage.onTheWay { _ in }
        stage.clock.move(to: 10_000)
        await book.step()

        #expect(stage.delivered == ["yes"])
    }

    @Test func `an answer between two tries is delivered after a restart`() async throws {
        let (stage, before, _) = try await Self.held()
        stage.refuse(1)
        await before.step()
        let book = try stage.book()
        stage.change { _ in }
        await book.step()

        #expect(stage.delivered == ["yes"])
        #expect(stage.told == [.answered])
    }

    @Test func `an answer that was delivered by a second try is known behind a restart that lost that`()
        async throws
    {
        let (stage, before, id) = try await Self.held()
        stage.refuse(1)
        await before.step()
        stage.onTheWay { [weak stage] _ in stage?.breakStore(true) }
        stage.clock.move(to: 10_000)
        await before.step()
        #expect(stage.delivered == ["yes"])
        stage.breakStore(false)
        stage.change { ($0.rows, $0.telegramAskedAt) = ([], nil) }
        let book = try stage.book()
        stage.change { _ in }
        await book.step()

        #expect(stage.saved.first?.standing == .answered && stage.saved.first?.reply?.channel == "api")
        let again = try await book.answer(id, with: "yes", by: .unrevocable("again"))
        #expect(!again.isPending)
        #expect(stage.delivered == ["yes"])
    }

    @Test func `an answer is not tried again before it is stored that it may be there`() async throws {
        let (stage, book, id) = try await Self.held()
        stage.refuse(1)
        await book.step()
        let tries = Self.tries(stage)
        stage.breakStore(true)
        stage.clock.move(to: 10_000)
        await book.step()
        #expect(tries.count == 0 && stage.delivered.isEmpty)
        #expect(
            try await book.answer(id, with: "yes", by: .unrevocable("again"), patience: .zero).isPending)

        stage.breakStore(false)
        stage.clock.move(to: 12_000)
        await book.step()
        #expect(stage.delivered == ["yes"])
        #expect(stage.told == [.answered])
    }

    @Test func `nothing is tried again while somebody else's answer could not be known`() async throws {
        let (stage, book, _) = try await Self.held()
        stage.refuse(1)
        await book.step()
        stage.letStore(false)
        for second in [10, 20, 30] as [Int64] {
            stage.clock.move(to: second * 1000)
            await book.step()
        }
        #expect(stage.delivered.isEmpty)

        stage.letStore(true)
        for second in [31, 34] as [Int64] {
            stage.clock.move(to: second * 1000)
            await book.step()
        }
        #expect(stage.delivered == ["yes"])
    }

    @Test(arguments: [(65, QuestionEvent.Kind.answered), (75, .expired)] as [(Int64, QuestionEvent.Kind)])
    func `with the robot's file an unsent answer was overtaken, by another one or by time`(
        second: Int64, kind: QuestionEvent.Kind
    ) {
        var scene = QuestionScene()
        scene.waitOnWeb("A", second: 10)
        scene.look(second: 12)
        let id = scene.id("A")
        _ = scene.claim(id, "yes", second: 60)
        _ = scene.table.postpone(id, at: 60_000)
        scene.facts.web = nil
        scene.look(second: second)

        #expect(scene.kinds == [kind])
        #expect(scene.table.questions[id]?.reply?.channel == (kind == .answered ? "web" : "api"))
        #expect(scene.table.retries.isEmpty)
    }

    @Test func `an answer that could not take its second way was delivered on its first`() {
        var scene = QuestionScene()
        scene.ask("A", second: 10, iteration: 2)
        scene.look(second: 10)
        let id = scene.id("A")
        scene.answer(id, "yes", second: 12)
        scene.facts.rows = []
        scene.waitOnWeb("A", second: 20, iteration: 2)
        scene.look(second: 20)
        #expect(scene.table.reclaim(id, now: 20_000, isLive: true) != nil)
        _ = scene.table.postpone(id, at: 20_000)
        scene.facts.web = nil
        scene.look(second: 30)

        #expect(scene.kinds == [.answered])
        #expect(scene.claim(id, "yes", second: 31) == .repeated(deliveredAt: 30_000))
    }

    @Test func `a try that is due is looked for again, and what is unsent is so behind a restart`() {
        var scene = QuestionScene()
        scene.ask("A", second: 10)
        scene.look(second: 10)
        let id = scene.id("A")
        _ = scene.claim(id, "yes", second: 11)
        let (isFirst, effects) = scene.table.postpone(id, at: 11_000)
        #expect(isFirst && effects.count == 1)
        #expect(scene.table.nextRetry(after: 11_500) == 12_000)
        #expect(scene.table.nextRetry(after: 12_001) == 13_001)

        // All that is not stored.
        scene.table.retries = [:]
        #expect(scene.table.questions[id].map { scene.table.isUnsent($0) } == true)
    }

    @Test func `a clock that was set back keeps no answer back`() {
        var scene = QuestionScene()
        scene.ask("A", second: 10_000)
        scene.look(second: 10_000)
        let id = scene.id("A")
        _ = scene.claim(id, "yes", second: 10_001)
        _ = scene.table.postpone(id, at: 10_001_000)
        _ = scene.table.dropLooks(until: 10_003_000)
        #expect(scene.table.nextMoment(after: 10_001_000) == 10_002_000)
        #expect(scene.table.sessionsToRetry(at: 10_001_500).isEmpty)

        #expect(scene.table.sessionsToRetry(at: 5_000_000) == [QuestionScene.session])
        #expect(scene.table.reclaim(id, now: 5_000_000, isLive: true) != nil)
        #expect(scene.table.sessionsToRetry(at: 5_000_000).isEmpty)
    }

    @Test(
        arguments: [
            Problem(.busy, during: .answer), Problem(.starting, during: .answer),
            Problem(.unwritable(path: "/x", reason: "full"), during: .answer),
            Problem.notFound("session_not_found", "0123456789abcdef"), QuestionError.notDelivered("full"),
        ] as [any Error])
    func `trouble that may pass keeps the answer`(_ error: any Error) async throws {
        let (stage, book, _) = try await Self.held()
        stage.onTheWay { _ in throw error }
        await book.step()
        #expect(stage.saved.first?.reply?.text == "yes")
    }

    @Test(
        arguments: [
            Problem(.revoked, during: .answer),
            Problem(.outsideHatScope(topic: "human.response"), during: .answer),
            Problem(.rowTooLarge(bytes: 2, limit: 1), during: .answer), QuestionError.expired(.expired),
        ] as [any Error])
    func `what is refused leaves the question to others`(_ error: any Error) async throws {
        let (stage, book, id) = try await Self.held()
        stage.onTheWay { _ in throw error }
        await book.step()
        #expect(stage.saved.first?.reply == nil)
        #expect(book.list().map(\.id) == [id])
    }
}

/// How often something happened.
private final class Counted: Sendable {
    private let state = Mutex(0)

    var count: Int { state.withLock { $0 } }

    func add() { state.withLock { $0 += 1 } }
}
