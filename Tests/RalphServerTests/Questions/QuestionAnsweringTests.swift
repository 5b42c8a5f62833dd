import RalphSessions
import RalphWire
import Testing

@testable import RalphServer

struct QuestionAnsweringTests {
    private func scene() -> (QuestionScene, String) {
        var scene = QuestionScene()
        scene.ask("A", second: 10)
        scene.look(second: 10)
        return (scene, scene.id("A"))
    }

    @Test func `the first answer counts and may be repeated`() {
        var (scene, id) = scene()
        scene.answer(id, "yes", second: 20)

        #expect(scene.claim(id, "yes", second: 30) == .repeated(deliveredAt: 20_000))
        #expect(scene.claim(id, "no", second: 30) == .refused(.alreadyAnswered))
        #expect(scene.kinds == [.answered])
        #expect(scene.told.first?.payload.contains(#""channel":"api""#) == true)
    }

    @Test func `of two at once one is taken`() {
        var (scene, id) = scene()
        guard case .taken = scene.claim(id, "yes", second: 20) else {
            Issue.record("the first was not taken")
            return
        }
        #expect(scene.claim(id, "no", second: 20) == .refused(.alreadyAnswered))
        #expect(scene.claim(id, "yes", second: 20) == .pending)
        #expect(scene.open.isEmpty)
    }

    @Test func `an answer on its way is not overtaken by time or by its own row`() {
        var (scene, id) = scene()
        _ = scene.claim(id, "yes", second: 20)
        scene.facts.rows = []
        scene.look(second: 21)
        scene.wait(until: 1000)
        scene.take(scene.table.noteDelivered(id, at: 1_000_000))

        #expect(scene.kinds == [.answered])
        #expect(scene.claim(id, "yes", second: 1001) == .repeated(deliveredAt: 1_000_000))
    }

    @Test func `an answer that cannot be delivered leaves the question open`() {
        var (scene, id) = scene()
        _ = scene.claim(id, "yes", second: 20)
        _ = scene.table.release(id)

        #expect(scene.open.map(\.id) == [id])
        guard case .taken = scene.claim(id, "no", second: 21) else {
            Issue.record("the second was not taken")
            return
        }
    }

    @Test(arguments: [("q_0123456789abcdef", 20), ("", 20)])
    func `an unknown question has no answer`(_ id: String, _ second: Int64) {
        var (scene, _) = scene()
        #expect(scene.claim(id, "yes", second: second) == .refused(.unknown))
    }

    @Test func `late is late even before the book noticed`() {
        var (scene, id) = scene()
        #expect(scene.claim(id, "yes", second: 310) == .refused(.expired(.expired)))
        scene.facts.isLive = false
        #expect(scene.claim(id, "yes", second: 20) == .refused(.expired(.ended)))
    }

    @Test func `a younger question waits while the run would take its answer for an older one's`() {
        var (scene, first) = scene()
        scene.ask("B", second: 11)
        scene.facts.telegramAskedAt = 10_500
        scene.look(second: 12)
        let second = scene.id("B")

        #expect(scene.claim(second, "yes", second: 13) == .refused(.notFirst(first)))
        scene.answer(first, "no", second: 14)
        scene.facts.telegramAskedAt = nil
        scene.look(second: 15)
        guard case .taken = scene.claim(second, "yes", second: 16) else {
            Issue.record("the second was not taken")
            return
        }
    }

    @Test func `a stored answer is delivered after a restart while its question is open`() throws {
        var (scene, id) = scene()
        _ = scene.claim(id, "yes", second: 20)
        let stored = try #require(scene.table.questions[id])
        scene.table = QuestionTable()
        scene.table.restore(stored)
        scene.look(second: 30)

        #expect(scene.table.undelivered.map(\.id) == [id])
        #expect(scene.table.reclaim(id, now: 31_000, isLive: true)?.reply?.text == "yes")
        #expect(scene.table.undelivered.isEmpty)
    }

    @Test func `a stored answer whose row is there already is not delivered again`() throws {
        var (scene, id) = scene()
        _ = scene.claim(id, "yes", second: 20)
        let stored = try #require(scene.table.questions[id])
        scene.table = QuestionTable()
        scene.table.restore(stored)
        scene.facts.rows = []
        scene.look(second: 30)

        #expect(scene.table.undelivered.isEmpty)
        #expect(scene.claim(id, "yes", second: 31) == .repeated(deliveredAt: 30_000))
        #expect(scene.kinds == [.answered])
    }
}
