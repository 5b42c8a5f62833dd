import Foundation
import Logging
import NIOPosix
import RalphControl
import RalphTestSupport
import RalphWire
import Synchronization
import Testing

@testable import RalphServer

@Suite(.timeLimit(.minutes(1)))
struct LoopJobsTests {
    /// Runs `body` with jobs whose `ralph` is `script`, and with what came of them.
    private func withJobs(
        _ script: String, descriptors: Int? = nil,
        _ body: @Sendable @escaping (LoopJobs, TemporaryDirectory, Ended) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            let program = try directory.write("ralph", "#!/bin/sh\n" + script)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program)
            let ended = Ended()
            var settings = ControlSettings(
                ralph: program, runs: directory.path, environment: ["PATH": "/usr/bin:/bin"])
            settings.descriptors = descriptors
            let jobs = LoopJobs(
                settings: settings,
                worktrees: WorktreeClaims(threads: FileThreads(most: 4)), threads: FileThreads(most: 4),
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
                didEnd: { job, outcome, wasAwaited in
                    ended.add(outcome, LoopJobs.event(job, outcome, wasAwaited: wasAwaited)?.payload)
                })
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await jobs.run() }
                defer { group.cancelAll() }
                try await body(jobs, directory, ended)
            }
        }
    }

    private func job(
        _ action: LoopJobs.Action, _ directory: TemporaryDirectory, _ id: String = "fair-rose",
        by requester: Requester = .unrevocable("owner")
    ) -> LoopJobs.Job {
        .init(
            action: action, loop: Loop(id: id, isPrimary: false, workspace: directory.path),
            requester: requester)
    }

    @Test(arguments: [
        (LoopJobs.Action.merge, "loops merge fair-rose\n"), (.discard, "loops discard fair-rose -y\n"),
    ])
    func `ralph is asked in the main workspace`(_ action: LoopJobs.Action, _ arguments: String) async throws {
        try await withJobs("echo $* > asked") { jobs, directory, _ in
            #expect(try await jobs.perform(job(action, directory), within: .seconds(20)) == .done)
            let asked = try String(contentsOfFile: directory.path + "/asked", encoding: .utf8)
            #expect(asked == arguments)
        }
    }

    @Test func `ralph finds itself by its name`() async throws {
        try await withJobs("command -v ralph > asked") { jobs, directory, _ in
            #expect(try await jobs.perform(job(.merge, directory), within: .seconds(20)) == .done)
            let asked = try String(contentsOfFile: directory.path + "/asked", encoding: .utf8)
            #expect(asked == directory.path + "/ralph\n")
        }
    }

    @Test func `ralph has the limit on descriptors that runs begin with`() async throws {
        // It is set behind the start.
        let script = """
            tries=0
            until [ $(ulimit -n) = 200 ] || [ $tries = 500 ]; do tries=$((tries + 1)); sleep 0.02; done
            [ $(ulimit -n) = 200 ]
            """
        try await withJobs(script, descriptors: 200) { jobs, directory, _ in
            let outcome = try await jobs.perform(job(.merge, directory), within: .seconds(20))
            #expect(outcome == .done)
        }
    }

    @Test func `a discard that leaves the worktree is none`() async throws {
        try await withJobs("true") { jobs, directory, _ in
            let worktree = directory.path + "/.worktrees/fair-rose"
            try directory.write(".worktrees/fair-rose/.git", "gitdir: elsewhere")
            let outcome = try await jobs.perform(job(.discard, directory), within: .seconds(20))
            #expect(outcome == .failed("ralph ended well, and the worktree \(worktree) is still there"))
        }
    }

    @Test func `a failure says what ralph said last`() async throws {
        try await withJobs("echo first; echo conflict in a.txt >&2; exit 1") { jobs, directory, _ in
            let outcome = try await jobs.perform(job(.merge, directory), within: .seconds(20))
            #expect(outcome == .failed("conflict in a.txt"))
            #expect(
                LoopJobs.event(job(.merge, directory), outcome, wasAwaited: true)?.type == "loop.merge_failed"
            )
            #expect(LoopJobs.event(job(.discard, directory), outcome, wasAwaited: true) == nil)
        }
    }

    @Test func `a long merge goes on behind its answer and is alone with its loop`() async throws {
        try await withJobs("mkfifo go; read line < go") { jobs, directory, ended in
            let job = job(.merge, directory)
            #expect(try await jobs.perform(job, within: .milliseconds(100)) == .pending)
            #expect(ended.outcomes.isEmpty)
            await #expect(throws: Problem.loopBusy("fair-rose")) {
                try await jobs.perform(job, within: .seconds(20))
            }
            try await eventually(within: .seconds(10), "the merge") {
                FileManager.default.fileExists(atPath: directory.path + "/go")
            }
            try directory.append("go", "\n")
            try await eventually(within: .seconds(10), "its end") { ended.outcomes == [.done] }
        }
    }

    @Test func `eight jobs run at once and a ninth is refused`() async throws {
        try await withJobs("read line < go; true") { jobs, directory, ended in
            let go = directory.path + "/go"
            #expect(mkfifo(go, 0o600) == 0)
            func merge(_ number: Int) async throws -> LoopJobs.Outcome {
                try await jobs.perform(job(.merge, directory, "loop-\(number)"), within: .zero)
            }
            for number in 1...8 { #expect(try await merge(number) == .pending) }
            await #expect(throws: Problem.tooManyLoopJobs) { try await merge(9) }
            try await eventually(within: .seconds(20), "the end of all") {
                // Whoever waits for the other end now goes on.
                let descriptor = open(go, O_WRONLY | O_NONBLOCK)
                if descriptor >= 0 { close(descriptor) }
                return ended.outcomes == Array(repeating: .done, count: 8)
            }
        }
    }

    @Test func `a long job has its last words to itself, however many others come and go`() async throws {
        let script = "echo $3 said it >&2; [ $3 = fair-rose ] && { mkfifo go; read line < go; }; exit 1"
        try await withJobs(script) { jobs, directory, ended in
            let long = job(.merge, directory)
            #expect(try await jobs.perform(long, within: .milliseconds(100)) == .pending)
            try await eventually(within: .seconds(10), "the merge") {
                FileManager.default.fileExists(atPath: directory.path + "/go")
            }
            for number in 1...LoopJobs.capacity {
                let other = job(.merge, directory, "other-\(number)")
                let outcome = try await jobs.perform(other, within: .seconds(20))
                #expect(outcome == .failed("other-\(number) said it"))
            }
            try directory.append("go", "\n")
            try await eventually(within: .seconds(10), "its end") {
                ended.outcomes.contains(.failed("fair-rose said it"))
            }
        }
    }

    @Test func `a job that a former server left alone keeps its log`() async throws {
        try await withJobs("echo second") { jobs, directory, _ in
            let (go, log) = (directory.path + "/go", directory.path + "/loops-0.log")
            #expect(mkfifo(go, 0o600) == 0)
            let former = ToolRun(
                program: "/bin/sh", arguments: ["-c", "echo first; read line < go"],
                directory: directory.path, environment: ["PATH": "/usr/bin:/bin"], output: log)
            #expect(try await former.run(until: .now).exit == nil)

            #expect(try await jobs.perform(job(.merge, directory), within: .seconds(20)) == .done)

            let other = try String(contentsOfFile: directory.path + "/loops-1.log", encoding: .utf8)
            #expect(other == "second\n")
            try await eventually(within: .seconds(10), "its word") {
                try String(contentsOfFile: log, encoding: .utf8) == "first\n"
            }
            try await eventually(within: .seconds(10), "its end") {
                // It waits for the other end, and goes on with it.
                let descriptor = open(go, O_WRONLY | O_NONBLOCK)
                if descriptor >= 0 { close(descriptor) }
                return !ToolRun.isInUse(log)
            }
        }
    }

    @Test(arguments: [
        (LoopJobs.Outcome.failed("a conflict"), "a conflict"),
        (.notStarted(.ralphMissing("ralph was not found")), "ralph was not found"),
        (
            .notStarted(.unwritable(path: "/runs/loops-0.log", reason: "No space left on device")),
            "/runs/loops-0.log cannot be written: No space left on device"
        ),
    ])
    func `why nothing came of a merge is told in plain words`(
        _ outcome: LoopJobs.Outcome, _ reason: String
    ) async throws {
        try await withTemporaryDirectory { directory in
            let event = try #require(LoopJobs.event(job(.merge, directory), outcome, wasAwaited: true))

            #expect(outcome.reason == reason)
            #expect(event.type == "loop.merge_failed")
            #expect(event.payload == #"{"loop_id":"fair-rose","reason":"\#(reason)"}"#)
        }
    }

    @Test(arguments: [LoopJobs.Action.merge, .discard])
    func `what somebody revoked asked for does not begin`(_ action: LoopJobs.Action) async throws {
        try await withJobs("touch asked") { jobs, directory, _ in
            let job = job(action, directory, by: Requester("device") { false })
            let outcome = try await jobs.perform(job, within: .seconds(20))
            #expect(outcome == .notStarted(.revoked))
            #expect(LoopJobs.event(job, outcome, wasAwaited: true) == nil)
            #expect(!FileManager.default.fileExists(atPath: directory.path + "/asked"))
        }
    }

    @Test(arguments: [LoopJobs.Action.merge, .discard])
    func `a loop that began to work before the job's turn is left alone`(_ action: LoopJobs.Action)
        async throws
    {
        try await withJobs("touch asked") { jobs, directory, _ in
            var job = job(action, directory)
            job.check = { throw Problem.loopIsRunning("fair-rose") }
            let outcome = try await jobs.perform(job, within: .seconds(20))
            #expect(outcome == .refused(.loopIsRunning("fair-rose")))
            #expect(LoopJobs.event(job, outcome, wasAwaited: true) == nil)
            #expect(!FileManager.default.fileExists(atPath: directory.path + "/asked"))
        }
    }

    @Test(
        arguments: [
            (.merge, false, #"{"loop_id":"fair-rose","reason":"loop_still_running: fair-rose"}"#),
            (
                .merge, true,
                #"{"loop_id":"fair-rose","reason":"whoever asked for it may not do so any more"}"#
            ),
            (.discard, false, nil),
        ] as [(LoopJobs.Action, Bool, String?)])
    func `a merge that is refused behind its answer is told as one that failed`(
        _ action: LoopJobs.Action, _ isRevoked: Bool, _ payload: String?
    ) async throws {
        try await withJobs("touch asked") { jobs, directory, ended in
            let gate = Landing<Void>()
            defer { gate.settle(()) }
            var job = job(action, directory, by: Requester("device") { !isRevoked })
            job.check = {
                await gate.settled()
                if !isRevoked { throw Problem.loopIsRunning("fair-rose") }
            }
            #expect(try await jobs.perform(job, within: .milliseconds(100)) == .pending)
            gate.settle(())

            try await eventually(within: .seconds(10), "its end") { ended.outcomes.count == 1 }
            #expect(ended.told == [payload].compactMap(\.self))
            #expect(!FileManager.default.fileExists(atPath: directory.path + "/asked"))
        }
    }

    @Test(arguments: [LoopJobs.Action.merge, .discard])
    func `whoever asked and is revoked is told that as any stranger`(_ action: LoopJobs.Action) {
        #expect(throws: Problem.unauthorized) {
            try LoopJobAnswer(action, "fair-rose", .notStarted(.revoked))
        }
        #expect(throws: Problem.loopIsRunning("fair-rose")) {
            try LoopJobAnswer(action, "fair-rose", .refused(.loopIsRunning("fair-rose")))
        }
    }

    @Test func `a merge whose process went without a word has failed, though ralph ended well`()
        async throws
    {
        // No process has that number (proc_sys_kernel(5), pid_max).
        let row =
            #"{"ts":"2026-06-22T22:20:00.1Z","loop_id":"fair-rose","event":{"type":"merging","pid":2147483647}}"#
        try await withJobs("mkdir .ralph; echo '\(row)' > .ralph/merge-queue.jsonl") { jobs, directory, _ in
            let outcome = try await jobs.perform(job(.merge, directory), within: .seconds(20))
            guard case .failed(let reason) = outcome else {
                Issue.record("\(outcome)")
                return
            }
            #expect(reason.hasPrefix("The process 2147483647 that merges it is not seen here"))
            #expect(
                LoopJobs.event(job(.merge, directory), outcome, wasAwaited: true)?.type == "loop.merge_failed"
            )
        }
    }

    @Test func `a merge whose queue cannot be read is not told as merged`() async throws {
        try await withJobs("mkdir -p .ralph/merge-queue.jsonl/file") { jobs, directory, _ in
            let outcome = try await jobs.perform(job(.merge, directory), within: .seconds(20))
            #expect(outcome == .pending)
            #expect(LoopJobs.event(job(.merge, directory), outcome, wasAwaited: true) == nil)
        }
    }

    @Test func `without ralph nothing begins`() async throws {
        try await withJobs("") { jobs, directory, _ in
            try directory.remove("ralph")
            let outcome = try await jobs.perform(job(.merge, directory), within: .seconds(20))
            guard case .notStarted(.ralphMissing) = outcome else {
                Issue.record("\(outcome)")
                return
            }
        }
    }
}

/// What came of jobs.
final class Ended: Sendable {
    private let state = Mutex((outcomes: [LoopJobs.Outcome](), told: [String]()))

    /// - Parameter payload: of the event that tells it.
    func add(_ outcome: LoopJobs.Outcome, _ payload: String?) {
        state.withLock { state in
            state.outcomes.append(outcome)
            if let payload { state.told.append(payload) }
        }
    }
    var outcomes: [LoopJobs.Outcome] { state.withLock { $0.outcomes } }
    var told: [String] { state.withLock { $0.told } }
}
