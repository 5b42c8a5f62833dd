import Foundation
import RalphSessions
import RalphTestSupport
import Testing

@testable import RalphControl

@Suite(.timeLimit(.minutes(1))) struct RegistrationTests {
    private func failure(_ scene: LaunchScene, _ run: SpawnedRun) async -> ControlError? {
        await #expect(throws: ControlError.self) { _ = try await scene.wait(run) }
    }

    private func locking(_ then: String) -> String { "set -- '\(then)'; " + LaunchScene.locking }

    @Test func `a run that takes its lock and lives is registered`() async throws {
        try await withLaunchScene(locking("sleep 60")) { scene in
            let run = try scene.spawn()

            #expect(try await scene.wait(run) == .primary(SessionDirectory(workspace: scene.workspace)))
            #expect(run.process.isAlive)
        }
    }

    @Test func `a run below what was started is registered too`() async throws {
        try await withLaunchScene("(\(locking("sleep 60"))) & wait") { scene in
            let run = try scene.spawn()

            let registration = try await scene.wait(run)

            #expect(registration == .primary(SessionDirectory(workspace: scene.workspace)))
        }
    }

    @Test func `a run that is over when it is looked at was one if it wrote a row`() async throws {
        let row = "echo .ralph/events-1.jsonl >.ralph/current-events; echo {} >.ralph/events-1.jsonl"
        try await withLaunchScene("\(locking("echo {\\\"pid\\\":$$} >.ralph/loop.lock; \(row)"))") { scene in
            let run = try scene.spawn()
            let handle = try #require(ProcessHandle(run.process))
            #expect(await handle.waitForExit(until: .now + .seconds(10)))

            #expect(try await scene.wait(run) == .primary(SessionDirectory(workspace: scene.workspace)))
            #expect(handle.reap()?.code == 0)
        }
    }

    @Test(arguments: [
        ("echo one >&2; echo 'Error: no backend' >&2; echo >&2; exit 1", "Error: no backend"),
        ("printf '\\033[31mred\\033[0m\\r\\n' >&2; exit 1", "red"), ("exit 3", "exited with code 3"),
        ("exit 0", "exited with code 0 without running; what starts Ralph must become it (exec)"),
        ("kill -9 $$", "was ended by signal 9"),
        ("printf '%0300d' 7 >&2; exit 1", String(repeating: "0", count: 200)),
        ("head -c 100000 /dev/zero >&2; echo >&2; echo last >&2; exit 1", "last"),
    ])
    func `a run that ends at once says why and leaves no process`(script: String, reason: String) async throws
    {
        try await withLaunchScene(script) { scene in
            let run = try scene.spawn()

            #expect(await failure(scene, run) == .failedToSpawn(reason))
            #expect(ProcessHandle(run.process) == nil)
        }
    }

    @Test func `a run that takes its lock and fails then was never started`() async throws {
        try await withLaunchScene(locking("echo no prompt >&2; exit 1")) { scene in
            let run = try scene.spawn()

            #expect(await failure(scene, run) == .failedToSpawn("no prompt"))
        }
    }

    @Test func `a run that hangs is ended with everything below it`() async throws {
        let script = "setsid sh -c 'trap \"\" TERM HUP; sleep 60 & echo $! > agent; wait' & sleep 61 & wait"
        try await withLaunchScene(script) { scene in
            scene.settings.registerDeadline = .seconds(1)
            let run = try scene.spawn()
            let agent = try #require(ProcessIdentity(pid: try await scene.directory.pid("w/agent")))
            // The shell may still be about to start the other one.
            var family: [ProcessIdentity] = []
            try await eventually(within: .seconds(10), "the whole family") {
                family = ProcessTree().statuses(below: run.process).map(ProcessIdentity.init)
                return family.count == 3
            }

            #expect(await failure(scene, run) == .failedToSpawn("did not take its lock within 1 s"))

            #expect(!agent.isAlive)
            #expect(!family.contains { $0.isAlive })
            #expect(ProcessHandle(run.process) == nil)
        }
    }

    @Test func `a start that is stopped leaves no process`() async throws {
        try await withLaunchScene("exec sleep 60") { scene in
            let run = try scene.spawn()

            let error = await #expect(throws: LaunchFailure.self) {
                _ = try await scene.launcher.waitForRegistration(run) { true }
            }

            #expect(error?.error == .superseded)
            #expect(ProcessHandle(run.process) == nil)
        }
    }

    @Test func `a start that loses the race for the lock is told who has it`() async throws {
        try await withLaunchScene("exec sleep 60") { scene in
            let run = try scene.spawn()
            let other = try scene.directory.write("w/.ralph/loop.lock", "")
            let descriptor = open(other, O_RDWR | O_CLOEXEC)
            defer { close(descriptor) }
            #expect(flock(descriptor, LOCK_EX) == 0)

            #expect(await failure(scene, run) == .alreadyRunning(scene.session))
            #expect(ProcessHandle(run.process) == nil)
        }
    }

    /// It takes its entry away when it ends.
    @Test func `a run in a worktree that was over at once is known by what it said`() async throws {
        try await withLaunchScene(Self.shortRun(below: "$PWD")) { scene in
            var plan = scene.plan
            plan.worktree = true

            let registration = try await scene.wait(try scene.spawn(plan))

            let worktree = SessionDirectory(workspace: scene.workspace + "/.worktrees/fair-rose")
            #expect(registration == .worktree(worktree, loopID: "fair-rose"))
        }
    }

    @Test func `a run that says it works elsewhere is not believed`() async throws {
        try await withLaunchScene(Self.shortRun(below: "$HOME")) { scene in
            var plan = scene.plan
            plan.worktree = true
            let run = try scene.spawn(plan)

            #expect(await failure(scene, run) == .failedToSpawn("resume: ralph run"))
        }
    }

    private static func shortRun(below place: String) -> String {
        #"""
        tree="\#(place)/.worktrees/fair-rose"
        mkdir -p "$tree"
        echo "{\"type\":\"loop_started\",\"prompt\":\"x\",\"workspace_root\":\"$tree\"}"
        echo "resume: ralph run" >&2
        exit 2
        """#
    }

    @Test func `a run in a worktree is known by its entry, and by none that leads elsewhere`() async throws {
        // The first ones are forged.
        let entries = ["$PWD/../other/.worktrees/x", "$PWD/../other", "$PWD/.worktrees/fair-rose"].map {
            #"{"id":"fair-rose","pid":$$,"worktree_path":"\#($0)"}"#
        }
        let entry = "{\"loops\":[\(entries.joined(separator: ","))]}"
        let script = "mkdir -p .ralph; cat > .ralph/loops.json <<END\n\(entry)\nEND\nexec sleep 60"
        try await withLaunchScene(script) { scene in
            let lock = try scene.directory.write("w/.ralph/loop.lock", "")
            let descriptor = open(lock, O_RDWR | O_CLOEXEC)
            defer { close(descriptor) }
            #expect(flock(descriptor, LOCK_EX) == 0)
            var plan = scene.plan
            plan.worktree = true

            let registration = try await scene.wait(try scene.spawn(plan))

            let worktree = SessionDirectory(workspace: scene.workspace + "/.worktrees/fair-rose")
            #expect(registration == .worktree(worktree, loopID: "fair-rose"))
        }
    }
}
