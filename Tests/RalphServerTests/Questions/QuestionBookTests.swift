import RalphControl
import RalphTestSupport
import RalphWire
import Synchronization
import Testing

@testable import RalphServer

@Suite(.timeLimit(.minutes(1)))
struct QuestionBookTests {
    @Test func `reminders and the end come when the clock says so`() async throws {
        let stage = QuestionStage()
        let book = try stage.book()
        stage.ask("A", at: 0)
        try await stage.running(book) {
            try await eventually(within: .seconds(5)) { book.list().count == 1 }
            for (time, count) in [(50_000, 1), (90_000, 2), (100_000, 3)] as [(Int64, Int)] {
                stage.clock.move(to: time)
                try await eventually(within: .seconds(5), "\(count) events") { stage.told.count == count }
            }
        }
        #expect(stage.told == [.reminder, .reminder, .expired])
        #expect(book.list().isEmpty)
    }

    @Test func `a reminder is not given again after a restart`() async throws {
        let stage = QuestionStage()
        stage.ask("A", at: 0)
        let first = try stage.book()
        await first.step()
        stage.clock.move(to: 60_000)
        await first.step()
        let second = try stage.book()
        await second.step()
        stage.clock.move(to: 91_000)
        await second.step()
        await second.step()

        #expect(stage.told == [.reminder, .reminder])
        #expect(first.list().map(\.id) == second.list().map(\.id))
    }

    @Test func `who asks what is open does not wait for files that do not answer`() async throws {
        let stage = QuestionStage()
        let book = try stage.book()
        stage.ask("A", at: 0)
        await book.step()
        let gate = ThreadGate(within: .seconds(30))
        stage.keep(at: gate)
        stage.change { _ in }
        async let step: Void = book.step()
        try await eventually(within: .seconds(5), "a look that waits") { gate.kept == 1 }

        #expect(book.list().count == 1 && book.pending(in: QuestionStage.session) == 1)
        #expect(!gate.isOpen)
        gate.open()
        await step
    }

    @Test func `an answer is stored before it is delivered`() async throws {
        let stage = QuestionStage()
        let book = try stage.book()
        stage.ask("A", at: 0)
        await book.step()
        let id = try #require(book.list().first?.id)
        stage.clock.move(to: 5000)

        #expect(
            try await book.answer(id, with: "yes", by: .unrevocable("test"))
                == .init(at: 5000, isPending: false))
        stage.clock.move(to: 6000)
        #expect(
            try await book.answer(id, with: "yes", by: .unrevocable("test"))
                == .init(at: 5000, isPending: false))
        await #expect(throws: QuestionError.alreadyAnswered) {
            try await book.answer(id, with: "no", by: .unrevocable("test"))
        }
        #expect(stage.delivered == ["yes"])
        #expect(stage.told == [.answered])
    }

    @Test func `of many answers at once one is delivered`() async throws {
        let stage = QuestionStage()
        let book = try stage.book()
        stage.ask("A", at: 0)
        await book.step()
        let id = try #require(book.list().first?.id)
        let results = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<20 {
                group.addTask {
                    do {
                        _ = try await book.answer(id, with: "answer \(number % 4)", by: .unrevocable("test"))
                        return true
                    } catch { return false }
                }
            }
            return await group.reduce(into: [Bool]()) { $0.append($1) }
        }

        #expect(stage.delivered.count == 1)
        #expect(results.filter { $0 }.count == 5)
    }

    @Test func `what cannot be stored is not delivered`() async throws {
        let stage = QuestionStage()
        let book = try stage.book()
        stage.ask("A", at: 0)
        await book.step()
        let id = try #require(book.list().first?.id)
        stage.breakStore(true)
        await #expect(throws: QuestionError.self) {
            try await book.answer(id, with: "yes", by: .unrevocable("test"))
        }
        #expect(stage.delivered.isEmpty)
        stage.breakStore(false)

        _ = try await book.answer(id, with: "no", by: .unrevocable("test"))
        #expect(stage.delivered == ["no"])
    }

    @Test func `an answer that cannot be delivered leaves the question to the next one`() async throws {
        let stage = QuestionStage()
        let book = try stage.book()
        stage.ask("A", at: 0)
        await book.step()
        let id = try #require(book.list().first?.id)
        stage.refuse(1)
        await #expect(throws: QuestionStage.Refusal.self) {
            try await book.answer(id, with: "yes", by: .unrevocable("test"))
        }
        #expect(book.list().map(\.id) == [id])

        _ = try await book.answer(id, with: "no", by: .unrevocable("test"))
        #expect(stage.delivered == ["no"])
    }

    @Test(arguments: [true, false])
    func `an answer that somebody else's overtook on its way is told which of both counts`(
        isAnswered: Bool
    ) async throws {
        let stage = QuestionStage()
        let book = try stage.book()
        stage.ask("A", at: 0)
        await book.step()
        let id = try #require(book.list().first?.id)
        stage.onTheWay { [stage] _ in
            if isAnswered { stage.change { $0.rows = [] } }
            throw QuestionError.expired(.expired)
        }

        await #expect(throws: isAnswered ? QuestionError.alreadyAnswered : .expired(.expired)) {
            try await book.answer(id, with: "yes", by: .unrevocable("test"))
        }
        #expect(stage.told == (isAnswered ? [.answered] : []))
    }

    @Test func `an answer that is long on its way holds up no other question`() async throws {
        let (stage, book, id) = try await QuestionStage.waitingAhead()
        let (begun, end) = (Landing<Bool>(), Landing<Void>())
        stage.onTheWay { _ in
            begun.settle(true)
            await end.settled()
        }
        _ = try await book.answer(id, with: "yes", by: .unrevocable("test"), patience: .zero)
        stage.ask("B", at: 1)
        stage.change { $0.telegramAskedAt = 8000 }
        stage.clock.move(to: 9000)
        try await stage.running(book) {
            defer { end.settle(()) }
            #expect(await begun.value(within: .seconds(10), otherwise: false))
            stage.clock.move(to: 200_000)
            try await eventually(within: .seconds(10), "the end of the other one") {
                stage.told.contains(.expired)
            }
            #expect(stage.delivered.isEmpty)
            end.settle(())
            try await eventually(within: .seconds(10), "the delivery") { stage.delivered == ["yes"] }
        }
    }

    @Test func `an answer that a crash kept from its run is delivered at the next start`() async throws {
        let stage = QuestionStage()
        let first = try stage.book()
        stage.ask("A", at: 0)
        await first.step()
        var stored = try #require(stage.saved.first)
        stored.reply = .init(text: "yes", storedAt: 1000, deliveredAt: nil, channel: "api")
        stage.put(stored)
        stage.change { $0.isLive = false }
        let second = try stage.book()
        await second.step()
        #expect(stage.delivered.isEmpty)

        stage.change { $0.isLive = true }
        await second.step()
        #expect(stage.delivered == ["yes"])
        #expect(stage.told == [.answered])
    }

    @Test func `the questions of an ended session are not listed`() async throws {
        let stage = QuestionStage()
        let book = try stage.book()
        stage.ask("A", at: 0)
        await book.step()
        stage.change { $0.isLive = false }

        #expect(book.list().isEmpty)
    }

    @Test func `an answer that its run does not wait for yet is held and said to be`() async throws {
        let (stage, book, id) = try await QuestionStage.waitingAhead()
        stage.clock.move(to: 7000)
        let early = try await book.answer(id, with: "yes", by: .unrevocable("test"), patience: .zero)
        #expect(early == .init(at: 7000, isPending: true))
        #expect(stage.delivered.isEmpty)
        #expect(stage.saved.first?.reply?.text == "yes")

        async let waiting = book.answer(id, with: "yes", by: .unrevocable("test"))
        stage.change { $0.telegramAskedAt = 8000 }
        stage.clock.move(to: 9000)
        await book.step()
        #expect(try await waiting == .init(at: 9000, isPending: false))
        #expect(stage.delivered == ["yes"])
    }

    @Test func `a held answer of somebody who is revoked meanwhile leaves the question to others`()
        async throws
    {
        let (stage, book, id) = try await QuestionStage.waitingAhead()
        let isKnown = Mutex(true)
        let device = Requester("device") { isKnown.withLock { $0 } }
        #expect(try await book.answer(id, with: "yes", by: device, patience: .zero).isPending)
        isKnown.withLock { $0 = false }
        stage.change { $0.telegramAskedAt = 8000 }
        stage.clock.move(to: 9000)
        await book.step()

        #expect(stage.delivered.isEmpty)
        #expect(book.list().map(\.id) == [id])
        #expect(stage.saved.first?.reply == nil)
        _ = try await book.answer(id, with: "no", by: .unrevocable("test"))
        #expect(stage.delivered == ["no"])
    }

    @Test(arguments: [0, 1])
    func `a held answer that two devices gave goes to its run as long as one of them may`(
        revoked: Int
    ) async throws {
        let (stage, book, id) = try await QuestionStage.waitingAhead()
        let isKnown = Mutex([true, true])
        let devices = (0...1).map { number in
            Requester("device \(number)") { isKnown.withLock { $0[number] } }
        }
        for device in devices {
            #expect(try await book.answer(id, with: "yes", by: device, patience: .zero).isPending)
        }
        isKnown.withLock { $0[revoked] = false }
        stage.change { $0.telegramAskedAt = 8000 }
        stage.clock.move(to: 9000)
        await book.step()

        #expect(stage.delivered == ["yes"])
    }

    @Test func `who may is found out when the answer has its turn`() async throws {
        let (stage, book, id) = try await QuestionStage.waitingAhead()
        let looks = Mutex(Int.max)
        let first = Requester("first") {
            looks.withLock { looks in
                looks -= 1
                return looks >= 0
            }
        }
        _ = try await book.answer(id, with: "yes", by: first, patience: .zero)
        _ = try await book.answer(id, with: "yes", by: .unrevocable("second"), patience: .zero)
        // Revoked right behind the looks at whether the answer is dropped, and at who gives it.
        looks.withLock { $0 = 2 }
        stage.change { $0.telegramAskedAt = 8000 }
        stage.clock.move(to: 9000)
        await book.step()

        #expect(stage.delivered == ["yes"])
    }

    @Test func `a held answer from before a restart is not lost with a device that gives it again`()
        async throws
    {
        let (stage, before, id) = try await QuestionStage.waitingAhead()
        _ = try await before.answer(id, with: "yes", by: .unrevocable("first"), patience: .zero)
        let book = try stage.book()
        await book.step()
        let isKnown = Mutex(true)
        let device = Requester("device") { isKnown.withLock { $0 } }
        #expect(try await book.answer(id, with: "yes", by: device, patience: .zero).isPending)
        isKnown.withLock { $0 = false }
        stage.change { $0.telegramAskedAt = 8000 }
        stage.clock.move(to: 9000)
        await book.step()

        #expect(stage.delivered == ["yes"])
    }

    @Test func `an answer that more devices gave than are noted is not lost with those`() async throws {
        let (stage, book, id) = try await QuestionStage.waitingAhead()
        let isKnown = Mutex(true)
        for number in 1...64 {
            let device = Requester("device \(number)") { isKnown.withLock { $0 } }
            _ = try await book.answer(id, with: "yes", by: device, patience: .zero)
        }
        _ = try await book.answer(id, with: "yes", by: .unrevocable("owner"), patience: .zero)
        isKnown.withLock { $0 = false }
        stage.change { $0.telegramAskedAt = 8000 }
        stage.clock.move(to: 9000)
        await book.step()

        #expect(stage.delivered == ["yes"])
    }

    @Test func `a held answer stays when the store fails as it is given again`() async throws {
        let (stage, book, id) = try await QuestionStage.waitingAhead()
        _ = try await book.answer(id, with: "yes", by: .unrevocable("first"), patience: .zero)
        stage.breakStore(true)
        let again = try await book.answer(id, with: "yes", by: .unrevocable("second"), patience: .zero)
        #expect(again.isPending)
        stage.breakStore(false)
        stage.change { $0.telegramAskedAt = 8000 }
        stage.clock.move(to: 9000)
        await book.step()

        #expect(stage.delivered == ["yes"])
    }

    @Test func `whoever waits with a held answer hears that somebody else was first`() async throws {
        let (stage, book, id) = try await QuestionStage.waitingAhead()
        _ = try await book.answer(id, with: "yes", by: .unrevocable("test"), patience: .zero)
        stage.change { $0.rows = [] }
        await book.step()

        await #expect(throws: QuestionError.alreadyAnswered) {
            try await book.answer(id, with: "yes", by: .unrevocable("test"))
        }
        #expect(stage.delivered.isEmpty)
    }
}
