import RalphSessions
import RalphWire
import Testing

@testable import RalphServer

/// What the clock says of a question, and what its run's files say.
struct QuestionTimingTests {
    /// A question that the run waits for, of 60 s.
    private func waiting(onFile: Bool) -> (QuestionScene, String) {
        var scene = QuestionScene()
        scene.facts.doesWait = true
        scene.facts.timeoutSeconds = 60
        scene.ask("A", second: 10)
        if onFile { scene.waitOnWeb("A", second: 10) } else { scene.facts.telegramAskedAt = 10_000 }
        scene.look(second: 11)
        return (scene, scene.id("A"))
    }

    private func giveUp(_ scene: inout QuestionScene) {
        scene.facts.web = nil
        scene.facts.telegramAskedAt = nil
    }

    @Test(arguments: [true, false])
    func `a question that its run waits for is in time, whatever the clock was set to`(_ onFile: Bool) {
        var (scene, id) = waiting(onFile: onFile)
        _ = scene.table.dropLooks(until: 500_000)
        scene.wait(until: 500)
        #expect(scene.kinds == [])
        #expect(scene.open.map(\.id) == [id])
        #expect(scene.table.nextMoment(after: 500_000) == 500_500)
        for _ in 1...3 { scene.wait(until: 500) }
        #expect(scene.table.looks[QuestionScene.session] == [500_500])

        guard case .taken = scene.claim(id, "yes", second: 501) else {
            Issue.record("it was not taken")
            return
        }
    }

    @Test(arguments: [true, false])
    func `its time is over when the run waits no longer`(_ onFile: Bool) {
        var (scene, id) = waiting(onFile: onFile)
        scene.wait(until: 71)
        giveUp(&scene)
        scene.look(second: 72)
        scene.wait(until: 72)

        #expect(scene.kinds == [.expired])
        #expect(scene.told.first?.payload.contains(#""reason":"timeout""#) == true)
        #expect(scene.claim(id, "late", second: 73) == .refused(.expired(.expired)))
    }

    @Test(arguments: [true, false])
    func `what a killed run left says nothing`(_ onFile: Bool) {
        var (scene, _) = waiting(onFile: onFile)
        scene.facts.isLive = false
        scene.look(second: 30)
        #expect(scene.open.first?.isBlocking == false)
        scene.wait(until: 71)

        #expect(scene.kinds == [.expired])
    }

    @Test func `the next iteration ends the time of a question that was due`() {
        var (scene, _) = waiting(onFile: false)
        scene.wait(until: 71)
        giveUp(&scene)
        scene.facts.rows[0].isOvertaken = true
        scene.look(second: 72)

        #expect(scene.told.map { $0.payload.contains(#""reason":"timeout""#) } == [true])
    }

    @Test func `a due question that only the robot's file told of was not answered with the file's end`() {
        var scene = QuestionScene()
        scene.waitOnWeb("A", second: 10)
        scene.look(second: 12)
        scene.wait(until: 71)
        scene.facts.web = nil
        scene.look(second: 72)

        #expect(scene.kinds == [.expired])
    }

    @Test func `the questions of a session that is over without a word end, held answers too`() {
        var scene = QuestionScene()
        scene.facts.timeoutSeconds = 0
        scene.ask("A", second: 10)
        scene.facts.doesWait = true
        scene.facts.waitsOnFile = true
        scene.ask("B", second: 11, iteration: 2)
        scene.facts.overAt = 40_000
        scene.look(second: 11)
        guard case .held = scene.claim(scene.id("B"), "yes", second: 12) else {
            Issue.record("it was not held")
            return
        }
        _ = scene.table.dropLooks(until: 39_000)
        #expect(scene.table.nextMoment(after: 39_000) == 40_000)
        scene.facts.isLive = false
        scene.facts.isOver = true
        scene.look(second: 40)
        #expect(scene.kinds == [])
        scene.look(second: 43)

        #expect(scene.kinds == [.expired, .expired])
        #expect(scene.told.allSatisfy { $0.payload.contains(#""reason":"ended""#) })
        #expect(scene.table.openSessions.isEmpty)
    }

    @Test func `a session that was over when it was found has no questions`() {
        var scene = QuestionScene()
        scene.facts.timeoutSeconds = 0
        scene.ask("A", second: 10)
        scene.facts.isOver = true
        for mayBeUnread in [true, false] {
            scene.facts.mayBeUnread = mayBeUnread
            for second in [5000, 5010] as [Int64] { scene.look(second: second) }
        }

        #expect(scene.table.questions.isEmpty)
        #expect(scene.kinds == [])
    }

    @Test func `while sessions are read for the first time none is given up`() {
        var scene = QuestionScene()
        scene.ask("A", second: 10)
        scene.look(second: 11)
        scene.facts.isOver = true
        scene.facts.mayBeUnread = true
        for second in [12, 20] as [Int64] { scene.look(second: second) }

        #expect(scene.open.map(\.text) == ["A"])
    }

    @Test func `a process that was out of sight for a moment ends nothing`() {
        var scene = QuestionScene()
        scene.ask("A", second: 10)
        scene.look(second: 11)
        for second in [12, 14, 16, 18] as [Int64] {
            scene.facts.isOver.toggle()
            scene.look(second: second)
        }

        #expect(scene.kinds == [])
    }

    @Test func `a question takes the place of one that is overtaken at once`() {
        var scene = QuestionScene()
        for second in 1...64 { scene.ask("\(second)", second: Int64(second)) }
        scene.look(second: 64)
        #expect(scene.open.count == 64)
        scene.facts.areRowsFull = true
        scene.facts.rows.removeFirst()
        scene.ask("new", second: 65)
        scene.look(second: 65)

        #expect(scene.open.map(\.text) == (2...64).map(String.init) + ["new"])
    }
}
