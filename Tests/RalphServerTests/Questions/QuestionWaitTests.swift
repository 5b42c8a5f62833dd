import RalphSessions
import RalphWire
import Testing

@testable import RalphServer

/// Ralph waits from the end of the iteration on, and sees no answer that came before.
struct QuestionWaitTests {
    private func scene(file: Bool) -> (QuestionScene, String) {
        var scene = QuestionScene()
        scene.facts.doesWait = true
        scene.facts.waitsOnFile = file
        scene.facts.timeoutSeconds = 60
        scene.ask("A", second: 10, iteration: 2)
        scene.look(second: 10)
        return (scene, scene.id("A"))
    }

    @Test func `an answer that comes too early is held until the run waits`() {
        var (scene, id) = scene(file: true)
        guard case .held = scene.claim(id, "yes", second: 20) else {
            Issue.record("it was not held")
            return
        }
        #expect(scene.claim(id, "no", second: 21) == .refused(.alreadyAnswered))
        #expect(scene.table.deliverable.isEmpty)
        scene.facts.completedIteration = 2
        scene.waitOnWeb("A", second: 900, iteration: 2)
        scene.look(second: 900)

        #expect(scene.table.deliverable.map(\.id) == [id])
        #expect(scene.table.reclaim(id, now: 900_000, isLive: true)?.channel == .web)
    }

    @Test func `time does not run before the run waits`() {
        var (scene, _) = scene(file: false)
        scene.wait(until: 500)
        #expect(scene.kinds == [])
        #expect(QuestionObject(scene.open[0], now: 500_000).timeout_at == Timestamp.text(560_000))

        scene.facts.telegramAskedAt = 600_000
        scene.look(second: 600)
        #expect(scene.open.first?.timeoutAt == 660_000)
        scene.facts.telegramAskedAt = nil
        scene.look(second: 661)
        scene.wait(until: 661)
        #expect(scene.kinds == [.expired])
    }

    @Test func `a run that does not wait after all gets the answer as a row`() {
        var (scene, id) = scene(file: false)
        _ = scene.claim(id, "yes", second: 20)
        scene.facts.completedIteration = 2
        scene.look(second: 30)
        #expect(scene.table.deliverable.isEmpty)
        scene.look(second: 34)

        #expect(scene.table.deliverable.map(\.id) == [id])
        #expect(scene.table.reclaim(id, now: 34_000, isLive: true)?.channel == .row)
    }

    @Test func `a clock that is set back while a run may come to wait keeps no held answer back`() {
        var (scene, id) = scene(file: false)
        _ = scene.claim(id, "yes", second: 20)
        scene.facts.completedIteration = 2
        scene.look(second: 30)
        #expect(scene.table.dropLooks(until: 30_300) == [QuestionScene.session])
        #expect(scene.table.dropLooks(until: 30_400).isEmpty)

        #expect(scene.table.dropLooks(until: 20_000) == [QuestionScene.session])
        #expect(scene.table.looks.isEmpty)
        scene.look(second: 20)
        #expect(scene.table.deliverable.map(\.id) == [id])
    }

    @Test func `an answer of somebody else takes a held one's place`() {
        var (scene, id) = scene(file: false)
        _ = scene.claim(id, "yes", second: 20)
        scene.facts.rows = []
        scene.look(second: 30)

        #expect(scene.claim(id, "yes", second: 31) == .refused(.alreadyAnswered))
        #expect(scene.told.first?.payload.contains(#""channel":"row""#) == true)
    }

    @Test func `a second question of the iteration waits for the first one's row`() {
        var (rows, first) = scene(file: false)
        rows.ask("B", second: 11, iteration: 2)
        rows.look(second: 11)
        #expect(rows.claim(rows.id("B"), "yes", second: 12) == .refused(.notFirst(first)))

        var (files, _) = scene(file: true)
        files.ask("B", second: 11, iteration: 2)
        files.look(second: 11)
        guard case .taken = files.claim(files.id("B"), "yes", second: 12) else {
            Issue.record("it was not taken")
            return
        }
    }

    @Test(arguments: ["A", String(repeating: "é", count: 6000)])
    func `an answer that went as a row goes again when the run says that it waits for a file`(_ text: String)
    {
        var scene = QuestionScene()
        // Of a row's text as much is kept as of the file's, counted in bytes.
        let row = String(text.prefix(4096))
        scene.ask(row, second: 10, iteration: 2)
        scene.look(second: 10)
        let id = scene.id(row)
        scene.answer(id, "yes", second: 12)
        scene.facts.rows = []
        scene.waitOnWeb(text, second: 20, iteration: 2)
        scene.look(second: 20)

        #expect(scene.table.deliverable.map(\.id) == [id])
        #expect(scene.table.reclaim(id, now: 20_000, isLive: true)?.web?.token == "main-1-1")
        scene.take(scene.table.noteDelivered(id, at: 21_000))
        #expect(scene.kinds.filter { $0 == .answered }.count == 1)
    }

    @Test func `an early answer to the second of two questions with one text is not the first one's`() {
        var scene = QuestionScene()
        scene.ask("A", second: 10, iteration: 2)
        scene.ask("A", second: 11, iteration: 2)
        scene.look(second: 11)
        let ids = scene.open.map(\.id)
        scene.take(scene.table.noteDelivered(ids[1], at: 11_500))
        scene.waitOnWeb("A", second: 12, iteration: 2)
        scene.look(second: 12)

        #expect(scene.open.map(\.id) == [ids[0]])
        #expect(scene.open.first?.web?.token == "main-1-1")
    }

    @Test func `the run waits for the first of two questions with one text`() {
        var scene = QuestionScene()
        (scene.facts.doesWait, scene.facts.waitsOnFile) = (true, true)
        scene.ask("A", second: 10, iteration: 2)
        scene.ask("A", second: 11, iteration: 2)
        scene.look(second: 11)
        scene.waitOnWeb("A", second: 12, iteration: 2)
        scene.look(second: 12)
        let ids = scene.open.map(\.id)
        #expect(scene.open.map(\.channel) == [.web, .row])

        for id in ids { scene.answer(id, "yes", second: 13) }
        scene.look(second: 14)

        #expect(scene.kinds == scene.kinds.filter { $0 != .answered } + [.answered, .answered])
        #expect(scene.table.deliverable.isEmpty)
    }
}
