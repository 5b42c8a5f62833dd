import Foundation
import RalphControl
import RalphSessions
import RalphWire
import Testing

@testable import RalphServer

/// What a run's time adds up to, and where it stands; times in milliseconds.
struct StoredRunTests {
    private let session = DiscoveredSession(
        directory: SessionDirectory(path: "/w/.ralph", workspace: "/w", layout: .ralph))

    private func record(_ phase: RunRecord.Phase, startedAt: Int64 = 1000, output: String? = nil) -> RunRecord
    {
        var record = RunRecord(session: session.id, directory: session.directory.path)
        record.phase = phase
        record.startedAt = startedAt
        record.output = output
        return record
    }

    private func entry(_ run: StoredRun, _ change: (inout CatalogueEntry) -> Void = { _ in })
        -> CatalogueEntry
    {
        var entry = CatalogueEntry(session: session, now: 0)
        entry.liveness.lockHeld = true
        entry.liveness.lockStarted = 1000
        entry.control = RunOverlay(run, orphans: [])
        change(&entry)
        return entry
    }

    /// Status, mode and phase.
    private func words(_ entry: CatalogueEntry, now: Int64) -> [String] {
        let standing = entry.standing(now: now)
        return [standing.status.rawValue, standing.mode.rawValue, standing.phase.rawValue]
    }

    @Test(arguments: [true, false])
    func `a run that was seen is not idle before its end is told`(_ wasSeen: Bool) {
        var entry = CatalogueEntry(session: session, now: 10_000)
        entry.state.lastEventAt = 5000
        entry.liveness.lockStarted = 1000
        entry.liveness.lockHeld = wasSeen
        entry.liveness.lockHeld = false

        #expect(entry.standing(now: 11_000).status == (wasSeen ? .running : .idle))
    }

    @Test(arguments: [(5000, true), (500, false)])
    func `a run that control has seen end is over, though its lock was not looked at since`(
        _ end: Int64, _ isOver: Bool
    ) {
        var ended = record(.ended)
        ended.exit = .init(code: 1, at: end)
        ended.stop = .init(requestedAt: 400, by: "me")
        let entry = entry(StoredRun(record: ended)) { $0.liveness.pid = 7 }

        #expect(words(entry, now: 9000)[0] == (isOver ? "stopped" : "running"))
        #expect(entry.pid == (isOver ? nil : 7))
    }

    @Test func `time that a process was suspended does not count`() {
        var run = StoredRun(record: record(.running))
        var suspended = record(.suspended)
        suspended.pause = .init(requestedAt: 5000, effectiveAt: 11_000, by: "me")
        run.take(suspended, elapsed: 0, now: 12_000)

        #expect(entry(run).elapsedSeconds(now: 90_000) == 10)
        run.take(record(.running), elapsed: 0, now: 91_000)
        #expect(entry(run).elapsedSeconds(now: 101_000) == 20)
    }

    @Test func `a suspension in which commands failed is counted once`() {
        var run = StoredRun(record: record(.running))
        var suspended = record(.suspended)
        suspended.pause = .init(requestedAt: 5000, effectiveAt: 11_000, by: "me")
        var figures = run.take(suspended, elapsed: 0, now: 12_000)
        for now: Int64 in [20_000, 30_000] {
            // The record that was there is put back.
            figures.add(run.take(record(.pausing), elapsed: 0, now: now))
            figures.add(run.take(suspended, elapsed: 0, now: now + 1))
        }
        #expect(entry(run).elapsedSeconds(now: 90_000) == 10)
        figures.add(run.take(record(.running), elapsed: 0, now: 91_000))

        #expect(run.pausedMilliseconds == 80_000)
        #expect(figures.total.suspendedMilliseconds == 80_000 && figures.open == Figures())
    }

    @Test func `a later suspension begins when it took effect`() {
        var run = StoredRun(record: record(.running))
        for time: Int64 in [11_000, 31_000] {
            var suspended = record(.suspended)
            suspended.pause = .init(requestedAt: time, effectiveAt: time, by: "me")
            run.take(suspended, elapsed: 0, now: time + 1000)
            run.take(record(.running), elapsed: 0, now: time + 5000)
        }
        #expect(run.pausedMilliseconds == 10_000)
    }

    @Test func `a process that died while it was suspended was suspended until then`() {
        var run = StoredRun(record: record(.running))
        var dead = record(.suspended)
        dead.pause = .init(requestedAt: 5000, effectiveAt: 11_000, by: "me")
        run.take(dead, elapsed: 0, now: 12_000)
        dead.phase = .ended
        dead.exit = .init(at: 15_000)

        let figures = run.take(dead, elapsed: 0, now: 90_000)

        #expect(run.pausedMilliseconds == 4000)
        #expect(figures.days.values.map(\.suspendedMilliseconds).contains(4000))
    }

    @Test func `a continued run counts on from where it was paused`() {
        var run = StoredRun(record: record(.pausing))
        run.take(record(.halted), elapsed: 9000, now: 10_000)
        let halted = entry(run) { $0.liveness.lockHeld = false }
        #expect(halted.elapsedSeconds(now: 50_000) == 9)

        run.take(record(.resuming), elapsed: 9000, now: 60_000)
        run.take(record(.running), elapsed: 9000, now: 61_000)
        let continued = entry(run) { $0.liveness.lockStarted = 61_000 }
        #expect(continued.elapsedSeconds(now: 66_000) == 14)
        run.take(record(.starting, startedAt: 70_000), elapsed: 14_000, now: 70_000)
        #expect(entry(run) { $0.liveness.lockStarted = 70_000 }.elapsedSeconds(now: 71_000) == 1)
    }

    @Test(arguments: [
        (Int64(1000), Int64?.none, Int64(1000)), (1000, 900, 1000), (1000, 1200, 6000), (7000, nil, 6000),
    ])
    func `a run began with its lock, also when that is free again`(
        _ locked: Int64, _ before: Int64?, _ start: Int64
    ) {
        let entry = entry(StoredRun(record: record(.ended))) {
            ($0.liveness.lockHeld, $0.liveness.lockStarted) = (false, locked)
            ($0.state.runStartedAt, $0.state.runEndedAt) = (6000, 9000)
            $0.state.runBeforeEndedAt = before
        }

        #expect(entry.startedAt == start)
        #expect(entry.elapsedMilliseconds(now: 90_000) == 9000 - start)
    }

    @Test(arguments: [(2000, "paused"), (500, "running")])
    func `a run that is over by its own word is paused, though its lock is still seen as held`(
        endedAt: Int64, status: String
    ) {
        let ended = entry(StoredRun(record: record(.halted))) {
            $0.state.endReason = "stopped"
            $0.state.runEndedAt = endedAt
        }
        #expect(ended.standing(now: 3000).status.rawValue == status)
    }

    @Test(arguments: [(6000, false, "running"), (4000, false, "error"), (6000, true, "running")])
    func `a later run whose lock is not seen here is told by its files`(
        startedAt: Int64, isPurged: Bool, status: String
    ) {
        var run = StoredRun(record: record(.running))
        var ended = record(.ended)
        if isPurged {
            (run.isForgotten, run.forgottenAt) = (true, 5000)
        } else {
            ended.exit = .init(at: 5000)
        }
        run.take(ended, elapsed: 0, now: 5000)
        let later = entry(run) {
            $0.liveness.lockHeld = false
            $0.state.runStartedAt = startedAt
            $0.state.lastEventAt = 8000
            $0.state.runBeforeEndedAt = 5000
        }
        #expect(later.standing(now: 9000).status.rawValue == status)
    }

    @Test func `the newest outputs are remembered, oldest first`() {
        var run = StoredRun(record: record(.running, output: "/0"))
        for number in 1...6 {
            run.take(record(.running, startedAt: Int64(number), output: "/\(number)"), elapsed: 0, now: 0)
        }
        #expect(run.outputs == ["/2", "/3", "/4", "/5", "/6"])
    }

    @Test(arguments: [
        (RunRecord.Phase.starting, true, "running", "live", "starting"),
        (.running, true, "running", "live", "starting"),
        (.pausing, true, "paused", "paused", "pausing"),
        (.suspended, true, "paused", "paused", "suspended"),
        (.halted, false, "paused", "paused", "suspended"),
        (.halted, true, "running", "live", "starting"),
        (.resuming, false, "running", "live", "starting"),
        (.stopping, true, "running", "live", "stopping"),
        (.ended, false, "error", "complete", "ended"),
        (.ended, true, "running", "live", "starting"),
    ])
    func `each phase has its status, mode and phase on the wire`(
        _ phase: RunRecord.Phase, _ isHeld: Bool, _ status: String, _ mode: String, _ word: String
    ) {
        let entry = entry(StoredRun(record: record(phase))) { $0.liveness.lockHeld = isHeld }

        #expect(words(entry, now: 2000) == [status, mode, word])
    }

    @Test func `a suspended process is paused though its lock cannot be seen`() {
        var record = record(.suspended)
        record.process = ProcessIdentity(pid: getpid())
        let entry = entry(StoredRun(record: record)) { $0.liveness.lockHeld = false }

        #expect(words(entry, now: 2000) == ["paused", "paused", "suspended"])
    }

    @Test(arguments: [nil, "completed"])
    func `a run of ours whose lock is free is running until its end is known`(_ reason: String?) {
        var run = StoredRun(record: record(.running))
        run.record.plan = LaunchPlan(workspace: "/w")
        let entry = entry(run) {
            $0.liveness.lockHeld = false
            $0.state.endReason = reason
        }
        #expect(entry.standing(now: 900_000).status.rawValue == reason ?? "running")
    }

    @Test(arguments: [
        (5000, nil, "running"), (5001, nil, "completed"), (7000, 7000, "running"), (7001, 7000, "completed"),
    ])
    func `the end of the run before is not that of one that was begun or continued since`(
        _ end: Int64, _ resumed: Int64?, _ status: String
    ) {
        var run = StoredRun(record: record(.running, startedAt: 5000))
        run.record.plan = LaunchPlan(workspace: "/w")
        run.record.resume = resumed.map { RunRecord.Request(requestedAt: $0, by: "me") }
        let entry = entry(run) {
            $0.liveness.lockHeld = false
            $0.state.endReason = "completed"
            $0.state.runEndedAt = end
        }
        #expect(entry.standing(now: 900_000).status.rawValue == status)
    }

    @Test func `what is paused by its end is paused no more when its directory is gone`() {
        var record = record(.halted)
        record.pause = .init(requestedAt: 5000, effectiveAt: 11_000, by: "me")
        let entry = entry(StoredRun(record: record)) { $0.liveness.lockHeld = false }
        #expect(entry.pausedAt == 11_000)

        var gone = entry
        gone.isGone = true

        #expect(gone.pausedAt == nil)
        #expect(gone.standing(now: 20_000).status == .idle)
    }

    @Test(arguments: [("completed", "completed"), ("workspace_gone", "stopped"), ("loop_stale", "error")])
    func `a run that is over stays what it was when its directory is gone`(_ reason: String, _ status: String)
    {
        var over = entry(StoredRun(record: record(.ended))) { $0.state.endReason = reason }
        over.isGone = true

        #expect(words(over, now: 20_000) == [status, "complete", "ended"])
    }

    @Test func `a lock that went with its directory names no process of a run that is over`() {
        var over = entry(StoredRun(record: record(.ended))) { $0.liveness.pid = 4242 }
        #expect(over.pid == 4242)

        over.isGone = true

        #expect(over.pid == nil)
    }

    @Test(arguments: [(1500, "completed", "complete", "ended"), (500, "running", "live", "starting")])
    func `a run that said that it is over is none that runs, though its lock is held`(
        _ endedAt: Int64, _ status: String, _ mode: String, _ phase: String
    ) {
        let entry = entry(StoredRun(record: record(.running))) { entry in
            (entry.liveness.lockHeld, entry.liveness.lockStarted) = (true, 1000)
            (entry.state.runEndedAt, entry.state.endReason) = (endedAt, "completed")
        }
        #expect(words(entry, now: 2000) == [status, mode, phase])
    }

    @Test func `what a run went by that is over is not told of one that began after it`() throws {
        var run = StoredRun(record: record(.ended))
        run.record.plan = LaunchPlan(workspace: "/w", config: "/w/other.yml", maxIterations: 5)
        run.record.exit = .init(code: 0, at: 3000)
        let other = try #require(WorkspaceConfig(yaml: "max_iterations: 7"))
        let limits = [Int64(2000), 4000].map { start in
            entry(run) { entry in
                entry.liveness.lockHeld = false
                (entry.state.runStartedAt, entry.state.runBeforeEndedAt) = (start, start - 500)
                entry.config = WorkspaceConfig(yaml: "max_iterations: 9")
                entry.control = RunOverlay(run, orphans: [], configuration: other)
            }
        }.map {
            [
                $0.newestControl?.config, $0.iterationLimit?.description,
                $0.runConfig?.maxIterations.description,
            ]
        }

        #expect(limits == [["other.yml", "5", "7"], [nil, "9", "9"]])
    }

    @Test func `of a configuration that is an address nothing is known, whatever lies in the workspace`() {
        var run = StoredRun(record: record(.running))
        run.record.commandLine = ["ralph", "run", "-c", "https://example.com/r.yml"]

        let entry = entry(run) { $0.config = WorkspaceConfig(yaml: "max_iterations: 9") }

        #expect(entry.runConfig == nil && entry.iterationLimit == nil)
    }

    @Test(arguments: [(Int64(2000), Int64(6000), "spawned"), (4000, 10_000, "discovered")])
    func `pauses of a run that is over are none of one that began after it`(
        _ start: Int64, _ worked: Int64, _ source: String
    ) {
        var run = StoredRun(record: record(.ended))
        run.record.plan = LaunchPlan(workspace: "/w")
        run.record.exit = .init(code: 0, at: 3000)
        run.pausedMilliseconds = 4000
        let entry = entry(run) {
            $0.liveness.lockHeld = false
            ($0.state.runStartedAt, $0.state.runEndedAt) = (start, start + 10_000)
            $0.liveness.lockStarted = start
        }

        #expect(entry.elapsedMilliseconds(now: 90_000) == worked)
        #expect(SessionObject(entry, epoch: "", report: nil, now: 90_000).source == source)
    }

    @Test func `a pause by end that came about unseen began then, and is counted once`() {
        var halted = record(.halted)
        halted.pause = .init(requestedAt: 900, effectiveAt: 1000, by: "test")
        var run = StoredRun(record: record(.pausing))
        run.take(halted, elapsed: 0, now: 9000)
        #expect(run.haltedSince == 1000)

        // A start that failed puts the record back that was there.
        run.take(record(.starting), elapsed: 0, now: 10_000)
        run.take(halted, elapsed: 0, now: 11_000)
        #expect(run.haltedSince == 11_000)
    }

    @Test(arguments: [RunRecord.Phase.running, .pausing, .starting])
    func `a run that is paused again as the next one never began has taken what it had`(
        _ phase: RunRecord.Phase
    ) {
        var halted = record(.halted)
        halted.pause = .init(requestedAt: 1900, effectiveAt: 2000, by: "test")
        var run = StoredRun(record: record(.running))
        run.take(halted, elapsed: 700, now: 2000)
        run.take(record(phase, startedAt: 3000), elapsed: 0, now: 3000)
        run.take(halted, elapsed: 0, now: 4000)

        #expect(run.carriedMilliseconds == 700)
        #expect(run.haltedSince == 4000)
    }

    @Test(arguments: [(900, false), (1100, true)])
    func `a purged session is shown once a run has begun since`(_ start: Int64, _ isShown: Bool) {
        var run = StoredRun(record: record(.ended))
        (run.isForgotten, run.forgottenAt) = (true, 1000)
        let entry = entry(run) { entry in
            (entry.liveness.lockHeld, entry.liveness.lockStarted) = (false, nil)
            entry.state.runStartedAt = start
        }
        #expect(entry.isShown == isShown)
    }

    @Test(
        arguments: [
            (nil, .ended, "orphaned"), ("crashed", .ended, "orphaned"), ("completed", .ended, "ended"),
            (nil, .halted, "suspended"),
        ] as [(String?, RunRecord.Phase, String)])
    func `an agent outlives a ralph that told nothing; what others left running is no error`(
        _ reason: String?, _ phase: RunRecord.Phase, _ shown: String
    ) {
        let run = StoredRun(record: record(phase))
        let entry = entry(run) {
            $0.liveness.lockHeld = false
            $0.state.endReason = reason
            $0.control = RunOverlay(run, orphans: [42])
        }
        #expect(words(entry, now: 4000)[2] == shown)
    }

    @Test func `a run of others that lost its lock file is running as long as it lives`() {
        var run = StoredRun(record: record(.running))
        run.record.process = ProcessIdentity(pid: getpid())
        let entry = entry(run) { $0.liveness.lockHeld = false }
        #expect(words(entry, now: 9_000_000)[0] == "running")
    }
}
