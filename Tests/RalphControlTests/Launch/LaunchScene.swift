import Foundation
import Logging
import RalphSessions
import RalphTestSupport
import RalphWire
import Testing

@testable import RalphControl

/// A workspace, and a launcher that starts a script of the test instead of ralph.
final class LaunchScene {
    let directory: TemporaryDirectory
    var settings: ControlSettings
    private(set) var runs: [SpawnedRun] = []

    /// Takes the lock as ralph does, in the process that was started, and does `$1` then.
    static let locking = "mkdir -p .ralph; exec flock -F -n .ralph/loop.lock sh -c \"$1\""

    let session: SessionID
    var workspace: String { directory.path + "/w" }
    var launcher: RunLauncher { RunLauncher(settings: settings, logger: Logger(label: "test")) }
    var plan: LaunchPlan { LaunchPlan(workspace: workspace, prompt: .text("do it")) }

    init(_ directory: TemporaryDirectory) throws {
        self.directory = directory
        try directory.write("w/PROMPT.md", "do it\n")
        session = SessionDirectory(workspace: directory.path + "/w").id
        settings = ControlSettings(
            ralph: directory.path + "/ralph", runs: directory.path + "/state/runs",
            environment: ["PATH": "/usr/bin:/bin", "HOME": directory.path])
    }

    /// Makes the program.
    func setProgram(_ script: String, mode: mode_t = 0o755) throws {
        let path = try directory.write("ralph", "#!/bin/sh\n" + script + "\n")
        guard chmod(path, mode) == 0 else { throw POSIXError(.EPERM) }
    }

    func spawn(_ plan: LaunchPlan? = nil, continuing: Bool = false) throws -> SpawnedRun {
        let run = try launcher.spawn(
            plan ?? self.plan, session: session, isContinuation: continuing)
        runs.append(run)
        return run
    }

    func wait(_ run: SpawnedRun) async throws -> Registration {
        do throws(LaunchFailure) {
            return try await launcher.waitForRegistration(run) { false }
        } catch {
            throw error.error
        }
    }

    /// Ends what was started, with everything below it.
    func cleanUp() async {
        for run in runs {
            guard let handle = ProcessHandle(run.process) else { continue }
            _ = await ProcessRemoval.remove(handle)
        }
    }
}

/// Runs `body` with a scene whose program is `script`; nothing of it is left afterwards.
func withLaunchScene(
    _ script: String, _ body: (LaunchScene) async throws -> Void
) async throws {
    try await withTemporaryDirectory { directory in
        let scene = try LaunchScene(directory)
        try scene.setProgram(script)
        let result: (any Error)?
        do {
            try await body(scene)
            result = nil
        } catch {
            result = error
        }
        await scene.cleanUp()
        if let result { throw result }
    }
}
