import Foundation
import Logging
import RalphSessions
import RalphTestSupport
import Testing

@testable import RalphControl

/// Runs that are paused by their end, and what may have become of their sessions since.
@Suite(.timeLimit(.minutes(2))) struct HaltedTests {
    /// The record of a run of `session` that is paused by its end.
    private func halted(_ session: DiscoveredSession) -> RunRecord {
        var record = RunRecord(session: session.id, directory: session.directory.path)
        record.phase = .halted
        record.pause = .init(requestedAt: 1, effectiveAt: 2, by: "test")
        return record
    }

    private func controller(_ session: DiscoveredSession, _ scene: ControllerScene) -> SessionController {
        SessionController(
            session: session, record: halted(session), settings: scene.settings, reports: scene.log.reports,
            logger: Logger(label: "test"))
    }

    /// Runs ralph by hand until it ends by itself, or by a stop file.
    private func runToEnd(_ scene: ControllerScene, isStopped: Bool) async throws {
        let iterations = scene.iterations
        if !isStopped { try scene.workspace.setSteps("always:\ncomplete\n") }
        let run = try scene.workspace.run()
        if isStopped {
            try await eventually(within: .seconds(20), "an iteration") { scene.iterations != iterations }
            try scene.workspace.put("stop-requested")
        }
        _ = try await run.waitForExit()
    }

    @Test(arguments: [(false, "completed"), (true, "stopped")])
    func `a paused run that another run followed while no server looked is over`(
        _ isStopped: Bool, _ status: String
    ) async throws {
        try await withScene(rounds(20)) { scene in
            try await scene.haltRunOfOthers()
            let paused = try #require(scene.log.last)
            try await runToEnd(scene, isStopped: isStopped)

            let next = scene.reborn(paused)
            await next.observe()

            #expect(await next.record?.phase == .ended)
            await #expect(throws: ControlError.notRunning(status: status)) {
                try await next.resume(by: "test")
            }
            #expect(scene.workspace.liveProcesses().isEmpty)
        }
    }

    @Test func `a pause that came about while no server looked is over with the run that followed`()
        async throws
    {
        try await withScene(rounds(20)) { scene in
            let run = try scene.workspace.run()
            try await scene.workspace.waitForTopic("iteration.summary")
            _ = try await scene.controller.pause(now: false, by: "test")
            let pausing = try #require(scene.log.records.first { $0.phase == .pausing })
            _ = try await run.waitForExit()
            // By itself it is paused.
            let before = scene.reborn(pausing)
            await before.observe()
            #expect(await before.record?.phase == .halted)
            try await runToEnd(scene, isStopped: true)

            let next = scene.reborn(pausing)
            await next.observe()

            #expect(await next.record?.phase == .ended)
        }
    }

    /// A run that somebody has begun by hand, that the controller has seen, and that a hook holds before its first row.
    private func heldRun(_ scene: ControllerScene, _ arguments: [String]) async throws -> StandInProcess {
        try scene.workspace.put("agent/scratchpad.md")
        try scene.workspace.directory.write("hold", "")
        let run = try scene.workspace.run(["--no-tui"] + arguments)
        // By then it has its lock, and a fresh one has named its events file.
        try await eventually(within: .seconds(20), "its hook") {
            let last = scene.workspace.liveProcesses().compactMap(\.arguments.last)
            return last.contains { $0.hasPrefix("while [ -e hold ]") }
        }
        try await scene.reach(.running)
        return run
    }

    /// - Parameter isContinuation: whether somebody was to go on with it by hand, or began a fresh run, which removes what
    ///   there is to go on from.
    @Test(arguments: [true, false])
    func `a paused run is paused again when what was to go on with it never begins`(
        _ isContinuation: Bool
    ) async throws {
        try await withScene(heldAtStart(rounds(20))) { scene in
            try await scene.haltRunOfOthers()
            let paused = try #require(await scene.controller.record)
            let run = try await heldRun(scene, isContinuation ? ["--continue"] : [])
            run.signal(SIGKILL)
            try await run.waitForExit()
            try scene.workspace.directory.remove("hold")

            guard isContinuation else { return try await scene.reach(.ended) }
            try await scene.reach(.halted, scene.reborn(scene.log.last))
            try await scene.reach(.halted)

            let record = try #require(await scene.controller.record)
            #expect(record.pause == paused.pause && record.commandLine == paused.commandLine)
            #expect(!scene.log.notes.contains { if case .ended = $0 { true } else { false } })
            _ = try await scene.controller.resume(by: "test")
            try await scene.reach(.running)
            _ = try await scene.controller.stop(force: true, by: "test")
        }
    }

    @Test func `a paused run is over when what was to go on with it ended by its own word`() async throws {
        try await withScene(heldAtStart(rounds(20))) { scene in
            try await scene.haltRunOfOthers()
            let run = try await heldRun(scene, ["--continue"])
            // As one does that a hook suspends before its first row, and that finds a stop file.
            let now = Int64(Date().timeIntervalSince1970 * 1000)
            try EventsFileWriter(scene.directory).append(EventRow.terminate(reason: "stopped", at: now))
            run.signal(SIGKILL)
            try await run.waitForExit()
            try scene.workspace.directory.remove("hold")

            try await scene.reach(.ended)
        }
    }

    @Test func `a paused run is over when what goes on with it has begun`() async throws {
        try await withScene(rounds(20)) { scene in
            try await scene.haltRunOfOthers()
            try scene.workspace.put("agent/scratchpad.md")
            let iterations = scene.iterations
            let run = try scene.workspace.run(["--no-tui", "--continue"])
            try await scene.reach(.running)
            try await eventually(within: .seconds(20), "an iteration") { scene.iterations > iterations }
            run.signal(SIGKILL)
            try await run.waitForExit()

            try await scene.reach(.ended)

            #expect(await scene.controller.record?.pausedBefore == nil)
        }
    }

    @Test func `what was to begin beside a paused run does not take its place`() async throws {
        try await withScene(rounds(20)) { scene in
            try await scene.haltRunOfOthers()
            var beside = scene.plan
            beside.worktree = true
            let plan = beside

            await #expect(throws: ControlError.alreadyPaused(scene.directory.id)) {
                try await scene.controller.start(plan, by: "test")
            }

            #expect(await scene.controller.record?.phase == .halted)
            #expect(scene.workspace.liveProcesses().isEmpty)
        }
    }

    @Test func `what was to begin beside a run that is to end by its pause does not take its place`()
        async throws
    {
        try await withScene(gated(hold: "go")) { scene in
            _ = try scene.workspace.run(["--rpc"], hasInput: true)
            try await scene.workspace.waitForFile("began")
            #expect(try await scene.controller.pause(now: false, by: "test").isPending)
            var beside = scene.plan
            beside.worktree = true
            let plan = beside

            await #expect(throws: ControlError.alreadyPaused(scene.directory.id)) {
                try await scene.controller.start(plan, by: "test")
            }
            #expect(await scene.controller.record?.phase == .pausing)
            await #expect(throws: ControlError.alreadyRunning(scene.directory.id)) {
                try await scene.controller.start(scene.plan, by: "test")
            }

            try scene.workspace.directory.write("go", "")
            try await scene.reach(.halted)
        }
    }

    /// - Parameter isRoot: the worktree is a root itself, and the main workspace is in none.
    @Test(arguments: [false, true])
    func `a paused loop whose worktree was removed is over`(isRoot: Bool) async throws {
        try await withScene(rounds(20)) { scene in
            try scene.workspace.put("current-events", ".ralph/events.jsonl")
            let session = DiscoveredSession(
                directory: SessionDirectory(workspace: scene.workspace.path + "/.worktrees/calm-otter"),
                loopID: "calm-otter", worktreeOf: isRoot ? nil : scene.workspace.path)
            let controller = controller(session, scene)

            await controller.observe()

            #expect(await controller.record?.phase == .ended)
            await #expect(throws: ControlError.notRunning(status: "idle")) {
                try await controller.resume(by: "test")
            }
            #expect(try await controller.stop(force: false, by: "test").already)
        }
    }

    @Test(arguments: [("primary-1", RunRecord.Phase.halted), ("calm-otter", .ended)])
    func `a paused run in a worktree is followed by what took its lock later`(
        _ loop: String, _ phase: RunRecord.Phase
    ) async throws {
        try await withScene(rounds(20)) { scene in
            let place = ".worktrees/calm-otter"
            let directory = scene.workspace.directory
            let row = #"{"ts":"2026-11-21T03:20:36Z","iteration":0,"hat":"loop","topic":"task.start"}"#
            try directory.write(place + "/.ralph/events.jsonl", row + "\n")
            try directory.write(
                place + "/.ralph/loop.lock",
                #"{"pid":2147483647,"started":"1970-01-01T00:00:00.001Z","prompt":""}"#)
            let session = DiscoveredSession(
                directory: SessionDirectory(workspace: scene.workspace.path + "/" + place), loopID: loop)
            let controller = controller(session, scene)

            await controller.observe()

            #expect(await controller.record?.phase == phase)
        }
    }

    @Test func `a paused run whose directory is not there is none, and paused again when it is back`()
        async throws
    {
        try await withScene(rounds(20)) { scene in
            let session = DiscoveredSession(directory: scene.directory)
            let controller = controller(session, scene)

            await #expect(throws: ControlError.notRunning(status: "idle")) {
                try await controller.resume(by: "test")
            }
            try scene.workspace.put("current-events", ".ralph/events.jsonl")
            await controller.observe()
            #expect(await controller.record?.phase == .halted)
            #expect(try await !controller.pause(now: false, by: "test").changed)

            try scene.workspace.directory.remove(".ralph")
            #expect(try await controller.stop(force: false, by: "test").already)
            #expect(await controller.record?.phase == .ended)
        }
    }
}
