import Foundation
import RalphSessions
import RalphTestSupport
import RalphWire
import Testing

@testable import RalphControl

/// What went on while no server looked.
@Suite(.timeLimit(.minutes(2))) struct UnseenTests {
    private func ends(_ scene: ControllerScene) -> [Int64] {
        scene.log.notes.compactMap { if case .ended(_, let time) = $0 { time } else { nil } }
    }

    /// Says that the events file was last written at `time`, milliseconds since 1970.
    private func setWritten(_ scene: ControllerScene, at time: Int64) throws {
        let date = Date(timeIntervalSince1970: Double(time) / 1000)
        try FileManager.default.setAttributes(
            [.modificationDate: date], ofItemAtPath: scene.workspace.path + "/" + scene.workspace.eventsFile)
    }

    /// A run whose process is gone, and whose events file was last written 5 s behind `start`.
    private func vanished(in scene: ControllerScene, since start: Int64) throws -> RunRecord {
        let row = #"{"ts":"\#(Timestamp.text(start))","iteration":0,"hat":"loop","topic":"work.start"}"#
        try scene.workspace.put("events.jsonl", row + "\n")
        try setWritten(scene, at: start + 5000)
        var record = RunRecord(session: scene.directory.id, directory: scene.directory.path)
        record.process = ProcessIdentity(pid: .max, startTicks: 1, bootID: "gone")
        record.startedAt = start
        return record
    }

    @Test(arguments: [(Int64(0), Int64(5000)), (8000, 8000)])
    func `a run that died unseen ended with its last sign of life`(_ stopAt: Int64, _ end: Int64)
        async throws
    {
        try await withScene(rounds(20)) { scene in
            let start: Int64 = 1_700_000_000_000
            var record = try vanished(in: scene, since: start)
            if stopAt > 0 { record.stop = .init(requestedAt: start + stopAt, by: "test") }

            let next = scene.reborn(record)
            await next.observe()

            #expect(ends(scene) == [start + end])
            #expect(await next.record?.exit?.at == start + end)
        }
    }

    @Test func `agents of a run that was over before the first look are found`() async throws {
        try await withScene(gated(hold: "never")) { scene in
            let ralph = try scene.workspace.run()
            try await scene.workspace.waitForFile("began")
            var record = RunRecord(session: scene.directory.id, directory: scene.directory.path)
            record.phase = .ended
            let controller = scene.reborn(record)
            await controller.recordStrays()
            #expect(scene.log.records.isEmpty)  // Nobody's agents, as ralph lives.

            ralph.signal(SIGKILL)
            try await ralph.waitForExit()
            await controller.recordStrays()

            let found = Set(scene.log.last?.agents.flatMap(\.members).map(\.pid) ?? [])
            #expect(!found.isEmpty && found == Set(scene.workspace.liveProcesses().map(\.pid)))
            _ = try await controller.stop(force: true, by: "test")
            #expect(scene.workspace.liveProcesses().isEmpty)
        }
    }

    @Test func `a suspended run that died unseen was suspended until it was last seen`() async throws {
        try await withScene(rounds(20)) { scene in
            let start: Int64 = 1_700_000_000_000
            var record = try vanished(in: scene, since: start)
            record.phase = .suspended
            record.pause = .init(requestedAt: start + 5000, effectiveAt: start + 6000, by: "test")
            record.seenAt = start + 66_000

            let next = scene.reborn(record)
            await next.observe()

            #expect(ends(scene) == [start + 66_000])
            #expect(await next.record?.exit?.at == start + 66_000)
        }
    }

    @Test func `that a suspended run lives is noted, also when nobody looks any more`() async throws {
        try await withScene(gated(hold: "never")) { scene in
            _ = try await scene.controller.start(scene.plan, by: "test")
            try await scene.workspace.waitForFile("began")
            _ = try await scene.controller.pause(now: false, by: "test")
            await scene.controller.noteSeen()
            #expect(await scene.controller.record?.seenAt == nil)
            _ = try await scene.controller.pause(now: true, by: "test")
            try await scene.reach(.suspended)
            let seen = try #require(scene.log.last?.seenAt)
            for _ in 0..<3 { await scene.controller.observe() }
            #expect(scene.log.last?.seenAt == seen)

            try await eventually(within: .seconds(10), "a later moment") {
                await scene.controller.noteSeen()
                return scene.log.last?.seenAt ?? 0 > seen
            }
            _ = try await scene.controller.stop(force: true, by: "test")
        }
    }

    @Test func `a suspended run whose directory cannot be looked at waits on`() async throws {
        try await withScene(rounds(20)) { scene in
            try scene.workspace.put("suspend-state.json", "{}")
            var record = RunRecord(session: scene.directory.id, directory: scene.directory.path)
            record.process = ProcessIdentity(pid: getpid())
            record.phase = .suspended
            let next = scene.reborn(record)
            try #require(chmod(scene.directory.path, 0) == 0)
            let unseen = await next.observation(hasRights: false)
            try #require(chmod(scene.directory.path, 0o755) == 0)
            #expect(unseen.isSuspended && unseen.lockHeld)

            #expect(await next.observation(hasRights: true).isSuspended)
            try FileManager.default.removeItem(atPath: scene.directory.suspendState)
            #expect(await !next.observation(hasRights: true).isSuspended)
        }
    }

    @Test(arguments: [RunRecord.Phase.running, .suspended])
    func `a run that came and went unseen is not the one before it`(_ phase: RunRecord.Phase) async throws {
        try await withScene(rounds(20)) { scene in
            let start: Int64 = 1_700_000_000_000
            let rows = [(61_000, "work.start"), (62_000, "loop.terminate")].map { after, topic in
                let time = Timestamp.text(start + Int64(after))
                return #"{"ts":"\#(time)","iteration":0,"hat":"loop","topic":"\#(topic)","payload":"x"}"#
                    + "\n"
            }
            try scene.workspace.put("events.jsonl", rows.joined())
            try scene.workspace.put(
                "loop.lock", #"{"pid":999999999,"started":"\#(Timestamp.text(start + 60_000))","prompt":"x"}"#
            )
            var record = RunRecord(session: scene.directory.id, directory: scene.directory.path)
            record.process = ProcessIdentity(pid: .max, startTicks: 1, bootID: "gone")
            (record.startedAt, record.phase, record.plan) = (start, phase, scene.plan)

            let next = scene.reborn(record)
            await next.observe()

            #expect(await next.record?.phase == .ended)
            #expect(await next.record?.startedAt == start + 60_000)
            #expect(await next.record?.plan == nil)
        }
    }

    @Test func `a run that was seen alive ended when that is found`() async throws {
        try await withScene(gated(hold: "never")) { scene in
            let record = try await scene.controller.start(scene.plan, by: "test").record
            try await scene.workspace.waitForFile("began")
            let next = scene.reborn(record)
            await next.observe()
            try setWritten(scene, at: 1_700_000_000_000)
            let now = WallClock.milliseconds()
            ProcessHandle(try #require(record.process))?.signal(SIGKILL)

            try await scene.reach(.ended, next)

            #expect(ends(scene).allSatisfy { $0 >= now } && !ends(scene).isEmpty)
            _ = try await next.stop(force: true, by: "test")
        }
    }

    @Test
    func `a run of others that waits before its first iteration is told as paused once, and since then`()
        async throws
    {
        var setup = rounds(20)
        setup.hasGate = true
        try await withScene(setup) { scene in
            // The run before was killed while it waited.
            var past = RunRecord(session: scene.directory.id, directory: scene.directory.path)
            past.phase = .ended
            past.startedAt = 1
            past.pause = .init(requestedAt: 2, effectiveAt: 2, by: "hook")
            try scene.workspace.put("pause-requested")
            _ = try scene.workspace.run()
            try await scene.workspace.waitForFile(".ralph/suspend-state.json")
            let file = try #require(scene.workspace.text(".ralph/suspend-state.json"))
            let since = try #require(SuspendState(Array(file.utf8))?.since)

            try await scene.reach(.suspended, scene.reborn(past))
            let next = scene.reborn(scene.log.last)
            for _ in 0..<3 { await next.observe() }

            #expect(scene.log.events == ["session.paused"])
            #expect(try scene.log.effectiveTimes == [Timestamp.text(since)])
            #expect(scene.log.records.allSatisfy { $0.pause?.effectiveAt == since })
        }
    }

    @Test func `a run of others that waits can be resumed by the first command`() async throws {
        var setup = rounds(20)
        setup.hasGate = true
        try await withScene(setup) { scene in
            try scene.workspace.put("pause-requested")
            _ = try scene.workspace.run()
            try await scene.workspace.waitForFile(".ralph/suspend-state.json")

            _ = try await scene.controller.resume(by: "test")
            try await scene.reach(.running)

            #expect(scene.log.events == ["session.paused", "session.resumed"])
        }
    }
}

extension SessionController {
    /// What it sees as somebody who may enter a directory that only its owner may, or may not.
    fileprivate func observation(hasRights: Bool) -> RunState.Observation {
        hasRights ? facts().observation : withoutRights { facts().observation }
    }
}
