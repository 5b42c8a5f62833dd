import Foundation
import RalphSessions
import RalphTestSupport
import RalphWire
import Testing

@testable import RalphControl

@Suite(.timeLimit(.minutes(1))) struct MessageTests {
    private func payloads(_ scene: ControllerScene, _ topic: String) -> [String?] {
        scene.workspace.rows.filter { $0["topic"] as? String == topic }.map { $0["payload"] as? String }
    }

    @Test func `the same steering text many times does not end the run`() async throws {
        try await withScene(gated(hold: "go")) { scene in
            try await scene.controller.start(scene.plan, by: "test")
            try await scene.workspace.waitForFile("began")

            for index in 0..<4 {
                try await scene.controller.steer(
                    "use sqlite", urgent: false, by: "test", marker: "cmd_\(index)")
            }

            #expect(
                payloads(scene, "human.guidance") == [
                    "use sqlite", "use sqlite (repeated 2)", "use sqlite (repeated 3)",
                    "use sqlite (repeated 4)",
                ])
            try scene.workspace.directory.write("go", "")
            try await eventually(within: .seconds(10), "iterations") { scene.iterations >= 2 }
            #expect(!scene.workspace.topics.contains("loop.terminate"))
            #expect(scene.workspace.text("prompts.txt")?.contains("use sqlite (repeated 4)") == true)
        }
    }

    @Test func `a row of a mebibyte arrives whole, and a longer one is refused before it is written`()
        async throws
    {
        try await withScene(gated(hold: "never")) { scene in
            try await scene.controller.start(scene.plan, by: "test")
            try await scene.workspace.waitForFile("began")
            let odd = "\u{0}\n\r\"\\\u{2028}é"
            let row = EventRow.user(
                marker: "cmd_1", topic: "human.guidance", payload: EventRow.string(odd),
                at: WallClock.milliseconds())
            let text = odd + String(repeating: "x", count: (1 << 20) - row.count)

            try await scene.controller.steer(text, urgent: true, by: "test", marker: "cmd_1")
            // It would get a number at its end.
            await #expect(throws: ControlError.rowTooLarge(bytes: (1 << 20) + 13, limit: 1 << 20)) {
                try await scene.controller.steer(text, urgent: false, by: "test", marker: "cmd_2")
            }

            #expect(payloads(scene, "human.guidance") == [text])
            #expect(scene.workspace.exists(".ralph/urgent-steer.json"))
        }
    }

    @Test func `an urgent text that cannot be shown at once is delivered all the same`() async throws {
        try await withScene(gated(hold: "never")) { scene in
            try await scene.controller.start(scene.plan, by: "test")
            try await scene.workspace.waitForFile("began")
            let first = try await scene.controller.steer("first", urgent: true, by: "test", marker: "cmd_1")
            #expect(first.isShownAtOnce)
            // A file cannot take the place of a directory.
            try scene.workspace.directory.remove(".ralph/urgent-steer.json")
            try scene.workspace.directory.write(".ralph/urgent-steer.json/x", "")

            let second = try await scene.controller.steer("second", urgent: true, by: "test", marker: "cmd_2")
            #expect(!second.isShownAtOnce && second.isScopeCertain)

            #expect(payloads(scene, "human.guidance") == ["first", "second"])
        }
    }

    @Test func `what is said to a run during its last iteration is said again when it goes on`() async throws
    {
        try await withScene(gated(hold: "go")) { scene in
            let run = try scene.workspace.run(["--rpc"], hasInput: true)
            try await scene.workspace.waitForFile("began")
            try await scene.controller.steer("before", urgent: false, by: "test", marker: "cmd_1")
            _ = try await scene.controller.pause(now: false, by: "test")
            try await scene.controller.steer("meanwhile", urgent: false, by: "test", marker: "cmd_2")
            try scene.workspace.directory.write("go", "")
            try await scene.reach(.halted)
            _ = try await run.waitForExit()
            try await scene.controller.steer("later", urgent: false, by: "test", marker: "cmd_3")

            _ = try await scene.controller.resume(by: "test")

            try await eventually(within: .seconds(10), "all of it in a prompt") {
                let prompts = scene.workspace.text("prompts.txt") ?? ""
                return ["before", "meanwhile", "later"].allSatisfy(prompts.contains)
            }
            #expect(
                payloads(scene, "human.guidance") == ["before", "meanwhile", "before", "meanwhile", "later"])
            _ = try await scene.controller.stop(force: true, by: "test")
        }
    }

    @Test func `what is said again does not end the run that it is said to`() async throws {
        try await withScene(gated(hold: "go")) { scene in
            let run = try scene.workspace.run(["--rpc"], hasInput: true)
            try await scene.workspace.waitForFile("began")
            _ = try await scene.controller.pause(now: false, by: "test")
            let data = #"{"n":12345678901234567890}"#
            let emit = { (marker: String) async throws(ControlError) in
                _ = try await scene.controller.emit(
                    topic: "x.data", payload: data, force: false, by: "test", marker: marker)
            }
            for number in 1...3 {
                try await scene.controller.steer("go on", urgent: false, by: "test", marker: "cmd_s\(number)")
                try scene.workspace.append(topic: "agent.note", payload: "\(number)")
            }
            for number in 1...3 {
                try await emit("cmd_e\(number)")
                try scene.workspace.append(topic: "agent.note", payload: "\(number)")
            }
            try scene.workspace.directory.write("go", "")
            try await scene.reach(.halted)
            _ = try await run.waitForExit()

            await #expect(throws: ControlError.self) { try await emit("cmd_e4") }
            let said = scene.workspace.lines.reversed().prefix { !$0.contains("loop.terminate") }
            #expect(said.filter { $0.contains(#""payload":\#(data)"#) }.count == 2)
            #expect(said.filter { $0.contains("go on") }.count == 3)
            _ = try await scene.controller.resume(by: "test")

            try await eventually(within: .seconds(10), "all of it in a prompt") {
                scene.workspace.text("prompts.txt")?.contains("go on (repeated 3)") == true
            }
            #expect(await scene.controller.record?.phase == .running)
            _ = try await scene.controller.stop(force: true, by: "test")
        }
    }

    @Test func `data that would come a third time is refused, words are numbered`() async throws {
        try await withScene(gated(hold: "never")) { scene in
            try await scene.controller.start(scene.plan, by: "test")
            try await scene.workspace.waitForFile("began")
            let emit = { (topic: String, payload: String?, force: Bool) async throws(ControlError) in
                _ = try await scene.controller.emit(
                    topic: topic, payload: payload, force: force, by: "test", marker: "cmd_1")
            }

            for _ in 0..<2 { try await emit("build.done", "{\"a\": 1}", false) }
            await #expect(throws: ControlError.self) { try await emit("build.done", "{\"a\":1}", false) }
            try await emit("build.done", "{\"a\":1}", true)
            // Which is no part of a row of equals, and ends one.
            try await emit("task.complete", nil, false)
            try await emit("build.done", "{\"a\":1}", false)
            for _ in 0..<4 { try await emit("task.complete", nil, false) }
            for _ in 0..<3 { try await emit("user.pause", nil, false) }

            #expect(scene.workspace.topics.filter { $0 == "build.done" }.count == 4)
            #expect(payloads(scene, "user.pause") == [nil, "(repeated 2)", "(repeated 3)"])
        }
    }

    @Test func `a topic that would end the run is refused unless it is forced`() async throws {
        try await withScene(gated(hold: "never")) { scene in
            try await scene.controller.start(scene.plan, by: "test")
            try await scene.workspace.waitForFile("began")

            for topic in ["loop.terminate", "LOOP_COMPLETE"] {
                let error = await #expect(throws: ControlError.self) {
                    try await scene.controller.emit(
                        topic: topic, payload: nil, force: false, by: "test", marker: "cmd_1")
                }
                guard case .topicRefused(topic, let reason) = error else {
                    Issue.record("\(String(describing: error))")
                    return
                }
                #expect(reason.contains("force"))
                #expect(!scene.workspace.topics.contains(topic))
            }
            try await scene.controller.emit(
                topic: "LOOP_COMPLETE", payload: nil, force: true, by: "test", marker: "cmd_2")
            #expect(scene.workspace.topics.contains("LOOP_COMPLETE"))
        }
    }

    @Test func `the promise that a run began with would end it, whatever its configuration says since`()
        async throws
    {
        var setup = gated(hold: "never")
        setup.eventLoop.append("completion_promise: ALPHA_DONE")
        try await withScene(setup) { scene in
            let record = try await scene.controller.start(scene.plan, by: "test").record
            try await scene.workspace.waitForFile("began")
            let text = try #require(scene.workspace.text("ralph.yml"))
            try scene.workspace.directory.write("ralph.yml", text.replacing("ALPHA_DONE", with: "BETA_DONE"))
            var lost = record
            (lost.plan, lost.commandLine) = (nil, record.process?.commandLine)

            for controller in [scene.controller, scene.reborn(lost)] {
                await #expect(throws: ControlError.self) {
                    try await controller.emit(
                        topic: "ALPHA_DONE", payload: nil, force: false, by: "test", marker: "cmd_1")
                }
            }
            #expect(lost.startedWith?.config == nil)
            #expect(!scene.workspace.topics.contains("ALPHA_DONE"))
        }
    }

    @Test func `a session without a run takes no words`() async throws {
        try await withScene(rounds(5)) { scene in
            try scene.workspace.put("current-events", SessionScene.events)
            await #expect(throws: ControlError.notRunning(status: "idle")) {
                try await scene.controller.steer("x", urgent: false, by: "test", marker: "cmd_1")
            }
            await #expect(throws: ControlError.notRunning(status: "idle")) {
                try await scene.controller.pause(now: false, by: "test")
            }
            #expect(try await scene.controller.stop(force: false, by: "test").already)
        }
    }

    @Test func `an answer on the web channel releases the run`() async throws {
        var setup = StandInSetup(
            steps: "iteration 1:\nask Which one?\niteration 2:\nlog-prompt p.txt\nwait-for no")
        setup.sections = "RObot: {enabled: true, mode: web, timeout_seconds: 60}"
        try await withScene(setup) { scene in
            try await scene.controller.start(scene.plan, by: "test")
            try await scene.workspace.waitForFile(".ralph/api/robot-question.json")
            let text = try #require(scene.workspace.text(".ralph/api/robot-question.json"))
            let question = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
            let token = try #require(question?["response_token"] as? String)

            await #expect(throws: ControlError.self) {
                try await scene.controller.answer(.row(text: "Restart Ralph"), by: "test", marker: "cmd_1")
            }
            try await scene.controller.answer(
                .web(id: "1", loopID: "main", token: token, text: "the first"), by: "test", marker: "cmd_1")

            try await scene.workspace.waitForFile("p.txt")
            #expect(payloads(scene, "human.response") == ["the first"])
        }
    }

    @Test(arguments: [true, false])
    func `of an answer that comes late it is found out whether the run took it`(_ isTaken: Bool) async throws
    {
        var setup = StandInSetup(steps: "iteration 1:\nask Which one?\niteration 2:\nwait-for no")
        setup.sections = "RObot: {enabled: true, mode: web, timeout_seconds: 0}"
        try await withScene(isTaken ? setup : gated(hold: "no")) { scene in
            try await scene.controller.start(scene.plan, by: "test")
            let path = ".ralph/api/robot-question.json"
            if !isTaken { try scene.workspace.directory.write(path, #"{"id":1,"response_token":"main-1"}"#) }
            try await scene.workspace.waitForFile(path)
            let text = try #require(scene.workspace.text(path))
            let question = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
            let token = try #require(question?["response_token"] as? String)
            let controller = scene.controller
            async let answer = controller.answer(
                .web(id: "1", loopID: "main", token: token, text: "just in time"), lateFrom: 0, by: "test",
                marker: "cmd_1")
            if !isTaken {
                try await scene.workspace.waitForFile(".ralph/api/robot-response.json")
                try scene.workspace.directory.remove(path)
            }

            #expect(try await answer == isTaken)
            #expect(payloads(scene, "human.response") == (isTaken ? ["just in time"] : []))
            #expect(!scene.workspace.exists(".ralph/api/robot-response.json"))
        }
    }

    private static func delayed(_ seconds: String) -> StandInSetup {
        var setup = rounds(50)
        setup.sections = """
            hooks:
              enabled: true
              events:
                pre.loop.start:
                  - {name: slow, command: [sleep, "\(seconds)"], on_error: warn}
            """
        return setup
    }

    @Test func `what is sent before the run reads waits until it does`() async throws {
        try await withScene(Self.delayed("1")) { scene in
            try await scene.controller.start(scene.plan, by: "test")
            #expect(!scene.workspace.topics.contains("work.start"))
            try await scene.controller.steer("an early word", urgent: false, by: "test", marker: "cmd_1")
            try await scene.controller.emit(
                topic: "user.note", payload: "1", force: false, by: "test", marker: "cmd_2")

            try await eventually(within: .seconds(20), "the prompt") {
                scene.workspace.text("prompts.txt")?.contains("an early word") == true
            }
            let topics = scene.workspace.topics
            let order = ["work.start", "human.guidance", "user.note"].map(topics.firstIndex(of:))
            #expect(order.compactMap(\.self) == order.compactMap(\.self).sorted() && !order.contains(nil))
        }
    }

    @Test func `what is sent to a run that is killed before it reads is refused`() async throws {
        try await withScene(Self.delayed("3")) { scene in
            try await scene.controller.start(scene.plan, by: "test")
            let process = try #require(await scene.controller.record?.process)
            let controller = scene.controller
            // Awaited below.
            let word = Task {
                try await controller.steer("x", urgent: false, by: "test", marker: "cmd_1")
            }
            // It was let in, and waits for the run to read.
            try await eventually(within: .seconds(5), "its turn") { controller.queue.isBusy }
            #expect(kill(process.pid, SIGKILL) == 0)

            await #expect(throws: ControlError.self) { try await word.value }
            #expect(!scene.workspace.topics.contains("human.guidance"))
        }
    }

    @Test func `a row that lands behind the end of a run whose pause is pending is refused`() async throws {
        var setup = gated(hold: "go")
        setup.eventLoop = ["max_iterations: 1"]
        try await withScene(setup) { scene in
            try await scene.controller.start(scene.plan, by: "test")
            try await scene.workspace.waitForFile("began")
            _ = try await scene.controller.pause(now: false, by: "test")
            let pausing = try #require(await scene.controller.record)
            #expect(pausing.phase == .pausing && pausing.hasGate)
            try scene.workspace.directory.write("go", "")
            try await scene.workspace.waitForTopic("loop.terminate")

            await #expect(throws: ControlError.notRunning(status: "completed")) {
                try await scene.controller.append(
                    "human.guidance", EventRow.string("x"), "cmd_1", to: pausing)
            }
        }
    }

    @Test func `a row for a run that is killed while its pause is pending is refused`() async throws {
        try await withScene(gated(hold: "never")) { scene in
            let process = try #require(
                try await scene.controller.start(scene.plan, by: "test").record.process)
            try await scene.workspace.waitForFile("began")
            _ = try await scene.controller.pause(now: false, by: "test")
            let pausing = try #require(await scene.controller.record)
            ProcessHandle(process)?.signal(SIGKILL)
            try await eventually(within: .seconds(10), "the end") { !process.isAlive }

            await #expect(throws: ControlError.self) {
                try await scene.controller.append(
                    "human.guidance", EventRow.string("x"), "cmd_1", to: pausing)
            }
        }
    }

    @Test func `a row that lands behind the end by a pause waits for the continuation`() async throws {
        try await withScene(rounds(20)) { scene in
            try await scene.haltRunOfOthers()
            var pausing = try #require(await scene.controller.record)
            // As it was when the command's turn came.
            pausing.phase = .pausing

            try await scene.controller.append("human.guidance", EventRow.string("x"), "cmd_1", to: pausing)

            #expect(scene.workspace.topics.last == "human.guidance")
        }
    }

    @Test func `a run that has just begun is left the time to note from where it reads`() async throws {
        try await withScene(gated(hold: "never")) { scene in
            try await scene.controller.start(scene.plan, by: "test")
            try await scene.controller.steer("first", urgent: false, by: "test", marker: "cmd_1")
            let times = scene.workspace.rows.compactMap { $0["ts"] as? String }
                .compactMap { Timestamp.parse($0.utf8) }
            #expect(times.count >= 2 && (times.last ?? 0) - times[0] >= 250)
            try await scene.controller.stop(force: true, by: "test")
        }
    }

    @Test func `a run that does not begin to read is sent nothing`() async throws {
        try await withScene(Self.delayed("25")) { scene in
            try await scene.controller.start(scene.plan, by: "test")
            await #expect(throws: ControlError.starting) {
                try await scene.controller.steer("lost", urgent: false, by: "test", marker: "cmd_1")
            }
            #expect(!scene.workspace.topics.contains("human.guidance"))
            try await scene.controller.stop(force: true, by: "test")
        }
    }
}
