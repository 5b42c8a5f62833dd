import Foundation
import RalphSessions
import RalphTestSupport
import Testing

@testable import RalphControl

@Suite(.timeLimit(.minutes(1))) struct SpawnTroubleTests {
    private func failure(_ body: () throws -> Void) -> ControlError? {
        #expect(throws: ControlError.self, performing: body)
    }

    @Test(arguments: [
        (nil, "no ralph was found"), ("/nowhere/ralph", "does not exist"), ("/etc", "is a directory"),
        ("/etc/passwd", "is not executable"),
    ])
    func `a program that is none says what to do`(path: String?, reason: String) async throws {
        try await withLaunchScene("exit 0") { scene in
            scene.settings.ralph = path
            #expect(scene.settings.programProblem == path.map { "\($0) \(reason)" })

            guard case .ralphMissing(let text) = failure({ _ = try scene.spawn() }) else {
                Issue.record("not missing")
                return
            }
            #expect(text.contains(reason))
            #expect(text.contains("--ralph"))
            #expect(!FileManager.default.fileExists(atPath: scene.settings.runs))
        }
    }

    @Test func `a name that is not on the path is told, and found when it is there`() async throws {
        try await withLaunchScene("exit 0") { scene in
            let (path, name) = (scene.directory.path + "/bin", "ralph-of-ours")
            (scene.settings.ralph, scene.settings.environment["PATH"]) = (name, path + ":/usr/bin:/bin")
            guard case .ralphMissing(let text) = failure({ _ = try scene.spawn() }) else {
                Issue.record("not missing")
                return
            }
            #expect(text.hasPrefix("no \(name) was found on PATH"))

            let program = try scene.directory.write("bin/" + name, "#!/bin/sh\nexit 0\n")
            #expect(chmod(program, 0o755) == 0)
            #expect(try scene.launcher.check(scene.plan).program == program)
        }
    }

    @Test func `a program that the system cannot run is missing as well`() async throws {
        try await withLaunchScene("exit 0") { scene in
            let path = try scene.directory.write("broken", "\u{1}\u{2}\u{3} no program\n")
            #expect(chmod(path, 0o755) == 0)
            scene.settings.ralph = path

            guard case .ralphMissing(let text) = failure({ _ = try scene.spawn() }) else {
                Issue.record("not missing")
                return
            }
            #expect(text.contains("Exec format error"))
            #expect(try scene.directory.names(in: "state/runs/\(scene.session)").isEmpty)
        }
    }

    @Test func `a workspace that is gone is named`() async throws {
        try await withLaunchScene("exit 0") { scene in
            try scene.directory.remove("w")

            let error = failure { _ = try scene.spawn() }

            #expect(error == .failedToSpawn("the workspace \(scene.workspace) is not there"))
        }
    }

    @Test func `a workspace that may not be entered is named`() async throws {
        try await withLaunchScene("exit 0") { scene in
            #expect(chmod(scene.directory.path, 0o755) == 0 && chmod(scene.workspace, 0o600) == 0)
            defer { chmod(scene.workspace, 0o700) }

            let error = withoutRights { failure { try RunLauncher.checkWorkspace(scene.workspace) } }

            let reason = "the workspace \(scene.workspace) cannot be entered: Permission denied"
            #expect(error == .failedToSpawn(reason))
        }
    }

    @Test(arguments: [
        ("a: [1,", "line 2: "), ("- a\n", "line 1: the configuration must be a map"),
        ("x: 1\nhooks: 5\n", "line 2: hooks must be a map"),
    ])
    func `a configuration that is wrong is named with its line`(yaml: String, reason: String) async throws {
        try await withLaunchScene("exit 0") { scene in
            let path = try scene.directory.write("w/ralph.yml", yaml)

            let error = failure { _ = try scene.spawn() }

            guard case .failedToSpawn(let text) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(text.hasPrefix("\(path): \(reason)"))
        }
    }

    @Test func `a configuration that is no file is named`() async throws {
        try await withLaunchScene("exit 0") { scene in
            for path in ["/nowhere.yml", scene.directory.path] {
                var plan = scene.plan
                plan.config = path

                #expect(
                    failure { _ = try scene.spawn(plan) }
                        == .failedToSpawn("\(path) is no readable file of at most 1 MiB"))
            }
        }
    }

    @Test func `a text with a NUL is no argument`() async throws {
        try await withLaunchScene("exit 0") { scene in
            var plan = scene.plan
            plan.prompt = .text("a\u{0}b")

            #expect(failure { _ = try scene.spawn(plan) } != nil)
        }
    }

    @Test func `a directory for runs that cannot be made is named`() async throws {
        try await withLaunchScene("exit 0") { scene in
            try scene.directory.write("state", "a file")

            guard case .unwritable(let path, _) = failure({ _ = try scene.spawn() }) else {
                Issue.record("writable")
                return
            }
            #expect(path.hasPrefix(scene.settings.runs))
        }
    }

    @Test func `a held lock refuses a start and a continuation, not a worktree`() async throws {
        try await withLaunchScene("set -- 'sleep 60'; \(LaunchScene.locking)") { scene in
            let run = try scene.spawn()
            _ = try await scene.wait(run)

            #expect(failure { _ = try scene.spawn() } == .alreadyRunning(scene.session))
            #expect(failure { _ = try scene.spawn(continuing: true) } == .alreadyRunning(scene.session))
            var plan = scene.plan
            plan.worktree = true
            #expect(failure { _ = try scene.spawn(plan, continuing: true) } == .alreadyRunning(scene.session))
            _ = try scene.spawn(plan)
        }
    }
}
