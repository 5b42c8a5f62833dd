import Foundation
import Logging
import RalphSessions
import RalphTestSupport
import RalphWire
import Testing

@testable import RalphControl

@Suite(.timeLimit(.minutes(2))) struct AdoptionTests {
    @Test func `a paused run is still paused for the next server, which resumes it`() async throws {
        try await withScene(rounds(20)) { scene in
            try await scene.controller.start(scene.plan, by: "test")
            _ = try await scene.controller.pause(now: false, by: "test")
            try await scene.reach(.suspended)

            let next = scene.reborn(scene.log.last)
            await next.observe()
            #expect(await next.record?.phase == .suspended)
            _ = try await next.resume(by: "test")

            try await scene.reach(.running, next)
            #expect(scene.log.events == ["session.paused", "session.resumed"])
            _ = try await next.stop(force: true, by: "test")
        }
    }

    @Test func `a pause that was stored and not placed is completed`() async throws {
        try await withScene(rounds(20)) { scene in
            var record = try await scene.controller.start(scene.plan, by: "test").record
            record.phase = .pausing
            record.pause = .init(requestedAt: 1, by: "test")
            record.unfinished = .pausing

            let next = scene.reborn(record)

            try await scene.reach(.suspended, next)
            #expect(await next.record?.pause?.effectiveAt != nil)
        }
    }

    @Test func `a run that suspended while no server ran is paused since then`() async throws {
        try await withScene(rounds(20)) { scene in
            var record = try await scene.controller.start(scene.plan, by: "test").record
            record.phase = .pausing
            record.pause = .init(requestedAt: WallClock.milliseconds(), by: "test")
            try scene.workspace.put("pause-requested")
            try await scene.workspace.waitForFile(".ralph/suspend-state.json")
            let file = try #require(scene.workspace.text(".ralph/suspend-state.json"))
            let since = try #require(SuspendState(Array(file.utf8))?.since)
            try await eventually(within: .seconds(5), "later") { WallClock.milliseconds() > since + 100 }

            let next = scene.reborn(record)

            try await scene.reach(.suspended, next)
            let stored = scene.log.records.filter { $0.phase == .suspended }
            #expect(!stored.isEmpty && stored.allSatisfy { $0.pause?.effectiveAt == since })
            #expect(try scene.log.effectiveTimes == [Timestamp.text(since)])
        }
    }

    @Test func `a run that took its lock before the clock was set back is paused and goes on`() async throws {
        try await withScene(rounds(20)) { scene in
            let record = try await scene.controller.start(scene.plan, by: "test").record
            let pid = try #require(record.process?.pid)
            try scene.workspace.put(
                "loop.lock", #"{"pid":\#(pid),"started":"2999-01-01T00:00:00Z","prompt":"x"}"#)

            _ = try await scene.controller.pause(now: false, by: "test")
            try await scene.reach(.suspended)
            _ = try await scene.controller.resume(by: "test")

            try await scene.reach(.running)
            let iterations = scene.iterations
            try await eventually(within: .seconds(10), "next iteration") { scene.iterations > iterations }
            _ = try await scene.controller.stop(force: true, by: "test")
        }
    }

    @Test func `a gate that was to be removed is removed`() async throws {
        try await withScene(rounds(20)) { scene in
            var record = try await scene.controller.start(scene.plan, by: "test").record
            record.unfinished = .running
            try scene.workspace.put("pause-requested")
            let next = scene.reborn(record)

            try await scene.reach(.running, next)
            let iterations = scene.iterations
            try await eventually(within: .seconds(10), "next iteration") {
                await next.observe()
                return scene.iterations > iterations + 1
            }
            #expect(scene.leftovers.isEmpty)
        }
    }

    @Test(arguments: [true, false])
    func `a pause whose file was taken away while no server ran is taken back`(_ hasGate: Bool) async throws {
        try await withScene(gated(hold: "go")) { scene in
            if hasGate {
                try await scene.controller.start(scene.plan, by: "test")
            } else {
                _ = try scene.workspace.run()
            }
            try await scene.workspace.waitForFile("began")
            #expect(try await scene.controller.pause(now: false, by: "test").isPending)
            let file = hasGate ? "pause-requested" : "stop-requested"
            try scene.workspace.directory.remove(".ralph/" + file)

            let next = scene.reborn(scene.log.last)
            await next.observe()

            #expect(scene.leftovers.isEmpty)
            try scene.workspace.directory.write("go", "")
            try await scene.reach(.running, next)
            #expect(await next.record?.pause == nil)
            #expect(scene.log.notes.contains(.withdrawn(.pause)))
            _ = try await next.stop(force: true, by: "test")
        }
    }

    @Test func `a pause that was asked for again without its file is kept over a restart`() async throws {
        try await withScene(gated(hold: "go")) { scene in
            let run = try scene.workspace.run(["--rpc"], hasInput: true)
            try await scene.workspace.waitForFile("began")
            _ = try await scene.controller.pause(now: false, by: "test")
            try scene.workspace.directory.remove(".ralph/stop-requested")
            await scene.controller.observe()
            #expect(try await !scene.controller.pause(now: false, by: "test").changed)

            let next = scene.reborn(scene.log.last)
            await next.observe()
            try scene.workspace.directory.write("go", "")

            try await scene.reach(.halted, next)
            _ = try await run.waitForExit()
        }
    }

    @Test func `a pause by the end of its run is told again by the next server until that has come`()
        async throws
    {
        try await withScene(gated(hold: "go")) { scene in
            _ = try scene.workspace.run(["--no-tui"])
            try await scene.workspace.waitForFile("began")
            _ = try await scene.controller.pause(now: false, by: "test")
            let pausing = try #require(scene.log.last)
            let asked = try #require(pausing.pause?.requestedAt)
            let told = ControlNote.requested(.pause, at: asked)
            #expect(scene.log.notes.count { $0 == told } == 1)

            let next = scene.reborn(pausing)
            await next.observe()
            await next.observe()
            #expect(scene.log.notes.count { $0 == told } == 2)

            try scene.workspace.directory.write("go", "")
            try await scene.reach(.halted, next)
            let later = scene.reborn(pausing)
            try await scene.reach(.halted, later)
            #expect(scene.log.notes.count { $0 == told } == 2)
        }
    }

    @Test func `a pause by the end of an agent is told again as one, and another one in its process never`()
        async throws
    {
        try await withScene(gated(hold: "go")) { scene in
            var record = try await scene.controller.start(scene.plan, by: "test").record
            try await scene.workspace.waitForFile("began")
            record.phase = .pausing
            for isUrgent in [nil, true] {
                record.pause = .init(requestedAt: 5, by: "test")
                record.pause?.isUrgent = isUrgent
                try scene.workspace.put("pause-requested")

                await scene.reborn(record).observe()

                let told = isUrgent == true ? [ControlNote.requested(.pauseNow, at: 5)] : []
                let requests = scene.log.notes.filter { if case .requested = $0 { true } else { false } }
                #expect(requests == told)
            }
            _ = try await scene.controller.stop(force: true, by: "test")
        }
    }

    @Test func `a stop that a dead server had begun is told again, and not once its run is over`()
        async throws
    {
        try await withScene(rounds(20)) { scene in
            var record = try await scene.controller.start(scene.plan, by: "test").record
            record.phase = .stopping
            record.stop = .init(requestedAt: 5, by: "test")

            for _ in 0..<2 { try await scene.reach(.ended, scene.reborn(record)) }

            #expect(scene.log.notes.count { $0 == .requested(.stop, at: 5) } == 1)
        }
    }

    @Test func `a gate that somebody made while no server ran holds the run`() async throws {
        try await withScene(gated(hold: "go")) { scene in
            try await scene.controller.start(scene.plan, by: "test")
            try await scene.workspace.waitForFile("began")
            _ = try await scene.controller.pause(now: false, by: "test")
            _ = try await scene.controller.resume(by: "test")
            #expect(scene.leftovers.isEmpty)
            try scene.workspace.put("pause-requested")

            let next = scene.reborn(scene.log.last)
            await next.observe()
            try scene.workspace.directory.write("go", "")

            try await scene.reach(.suspended, next)
            #expect(scene.workspace.exists(".ralph/pause-requested"))
            _ = try await next.stop(force: true, by: "test")
        }
    }

    @Test func `a run that was spawned and not stored is found by its configuration`() async throws {
        try await withScene(rounds(20)) { scene in
            var record = try await scene.controller.start(scene.plan, by: "test").record
            let process = record.process
            let output = record.output
            record.process = nil
            record.output = nil
            record.phase = .starting
            record.hasGate = false

            let next = scene.reborn(record)
            try await scene.reach(.running, next)

            #expect(await next.record?.process == process)
            #expect(await next.record?.hasGate == true)
            #expect(await next.record?.output == output)
        }
    }

    @Test func `a run that died meanwhile is over, and its death is told behind what it wrote`() async throws
    {
        try await withScene(gated(hold: "never")) { scene in
            let record = try await scene.controller.start(scene.plan, by: "test").record
            try await scene.workspace.waitForFile("began")
            let process = try #require(record.process)
            ProcessHandle(process)?.signal(SIGKILL)

            let next = scene.reborn(record)
            try await scene.reach(.ended, next)

            let told = scene.log.notes.firstIndex {
                if case .ended(reason: "crashed", _) = $0 { true } else { false }
            }
            #expect(told.map(scene.log.reads.contains) == true)
            _ = try await next.stop(force: true, by: "test")
            // What was killed may still be on its way out.
            try await eventually(within: .seconds(10), "nothing lives") {
                scene.workspace.liveProcesses().isEmpty
            }
        }
    }

    @Test func `an agent that was never seen below its run is known when that has died`() async throws {
        try await withScene(gated(hold: "never")) { scene in
            let run = try scene.workspace.run()
            var record = RunRecord(session: scene.directory.id, directory: scene.directory.path)
            record.process = ProcessIdentity(pid: run.pid)
            try await scene.workspace.waitForFile("began")
            run.signal(SIGKILL)
            try await run.waitForExit()

            let next = scene.reborn(record)
            try await scene.reach(.ended, next)

            let known = await next.record?.agents.flatMap(\.members).filter(\.isAlive).map(\.pid)
            #expect(known?.isEmpty == false)
            #expect(known.map(Set.init) == Set(scene.workspace.liveProcesses().map(\.pid)))
            _ = try await next.stop(force: true, by: "test")
            #expect(scene.workspace.liveProcesses().isEmpty)
        }
    }

    @Test func `of very many groups that agents have left the newest are remembered`() async throws {
        try await withScene(gated(hold: "never")) { scene in
            var record = try await scene.controller.start(scene.plan, by: "test").record
            try await scene.workspace.waitForFile("began")
            let sleeper = try scene.workspace.launch("sleep", ["60"])
            let member = try #require(ProcessIdentity(pid: sleeper.pid))
            // Beyond all numbers of processes; each look puts what is new before what it knew.
            let newestFirst = (0..<100).map { ProcessGroup(id: .max - Int32($0), members: [member]) }
            record.agents = newestFirst

            let next = scene.reborn(record)
            await next.observe()

            let groups = Set(newestFirst.map(\.id))
            let known = await next.record?.agents.map(\.id) ?? []
            #expect(known.filter(groups.contains) == newestFirst.prefix(64).map(\.id))
            #expect(!Set(known).isSubset(of: groups))  // The agent of now is there as well.
        }
    }

    @Test func `another process of the same number is not the run`() async throws {
        try await withScene(rounds(20)) { scene in
            var record = RunRecord(session: scene.directory.id, directory: scene.directory.path)
            let own = try #require(ProcessIdentity(pid: getpid()))
            record.process = ProcessIdentity(
                pid: own.pid, startTicks: own.startTicks + 1, bootID: own.bootID)
            record.phase = .running
            let controller = scene.reborn(record)

            let stop = try await controller.stop(force: true, by: "test")

            #expect(stop.already)
            #expect(await controller.record?.phase == .ended)
        }
    }

    @Test func `another run in the session is another record`() async throws {
        try await withScene(rounds(20)) { scene in
            try await scene.controller.start(scene.plan, by: "test")
            _ = try await scene.controller.stop(force: true, by: "test")
            _ = try scene.workspace.run(["--no-tui"])

            try await scene.reach(.running)

            let record = try #require(await scene.controller.record)
            #expect(record.plan == nil && !record.hasGate && record.stop == nil)
            #expect(record.commandLine?.contains("--no-tui") == true)
        }
    }

    @Test func `a worktree that is a root itself has the configuration made for its main session`()
        async throws
    {
        try await withScene(rounds(20)) { scene in
            let session = DiscoveredSession(
                directory: SessionDirectory(workspace: scene.workspace.path + "/.worktrees/calm-otter"))
            let controller = SessionController(
                session: session, record: nil, settings: scene.settings, reports: scene.log.reports,
                logger: Logger(label: "test"))
            let path = "\(scene.settings.runs)/\(scene.directory.id.rawValue)/1/ralph.yml"

            let words = ["ralph", "run", "-c", path]
            #expect(await controller.ownConfiguration(in: words) == path)
            #expect(await controller.ownConfiguration(in: words, isShared: false) == nil)
        }
    }
}
