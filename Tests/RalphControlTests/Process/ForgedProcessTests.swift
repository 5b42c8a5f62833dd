import Foundation
import Logging
import RalphSessions
import RalphTestSupport
import RalphWire
import Testing

@testable import RalphControl

/// Lock files and registries that name processes which are none of ours.
@Suite(.timeLimit(.minutes(2))) struct ForgedProcessTests {
    private func controller(_ directory: TemporaryDirectory, worktree: String? = nil) -> SessionController {
        let main = directory.path + "/w"
        let session = DiscoveredSession(
            directory: SessionDirectory(workspace: worktree.map { "\(main)/.worktrees/\($0)" } ?? main),
            loopID: worktree, worktreeOf: worktree == nil ? nil : main)
        return controller(of: session, directory)
    }

    private func controller(of session: DiscoveredSession, _ directory: TemporaryDirectory)
        -> SessionController
    {
        SessionController(
            session: session, record: nil,
            settings: ControlSettings(ralph: nil, runs: directory.path + "/runs", environment: [:]),
            reports: ReportLog().reports, logger: Logger(label: "test"))
    }

    /// All commands find no run, and nothing is signalled.
    private func expectNoRun(_ controller: SessionController, _ innocent: ProcessIdentity? = nil) async throws
    {
        await #expect(throws: ControlError.notRunning(status: "idle")) {
            try await controller.pause(now: true, by: "test")
        }
        await #expect(throws: ControlError.notRunning(status: "idle")) {
            try await controller.resume(by: "test")
        }
        for force in [false, true] {
            let stop = try await controller.stop(force: force, by: "test")
            #expect(stop.already && !stop.forced)
        }
        if let innocent { #expect(innocent.isAlive) }
    }

    private func lock(_ pid: some Any, _ started: String = "2099-01-01T00:00:00Z") -> String {
        #"{"pid":\#(pid),"started":"\#(started)","prompt":"x"}"#
    }

    private func registry(
        _ pid: some Any, _ directory: TemporaryDirectory, _ started: String = "2099-01-01T00:00:00Z"
    )
        -> String
    {
        let path = directory.path + "/w/.worktrees/x"
        return #"{"loops":[{"id":"x","pid":\#(pid),"started":"\#(started)","prompt":"","#
            + #""worktree_path":"\#(path)","workspace":"\#(path)"}]}"#
    }

    @Test(arguments: ["1", "0", "-1", "99999999999999999999", "2147483647", "1.5", "\"1\"", "[1]", "own"])
    func `numbers that are nobody's to signal are signalled by nobody`(_ pid: String) async throws {
        try await withTemporaryDirectory { directory in
            let number = pid == "own" ? "\(getpid())" : pid
            try directory.write("w/.ralph/loop.lock", lock(number))
            try directory.write("w/.ralph/loops.json", registry(number, directory))
            try directory.write("w/.worktrees/x/.ralph/current-loop-id", "x\n")

            try await expectNoRun(controller(directory))
            try await expectNoRun(controller(directory, worktree: "x"))
        }
    }

    @Test(arguments: ["2099-01-01T00:00:00Z", "2001-01-01T00:00:00Z", "never"])
    func `a forged lock file does not end the process that it names`(_ started: String) async throws {
        try await withChildren { directory, start in
            try directory.write("w/.ralph/current-loop-id", "x\n")
            let innocent = try start("cd w; exec sleep 60", [:])
            try directory.write("w/.ralph/loop.lock", lock(innocent.pid, started))

            try await expectNoRun(controller(directory), innocent.identity)
        }
    }

    @Test(arguments: ["cd w; exec sleep 60", "cd w/.worktrees/x; exec sleep 60", "exec ./ralph run --rpc"])
    func `a forged registry does not end the process that it names`(_ script: String) async throws {
        try await withChildren { directory, start in
            try directory.write("w/.worktrees/x/.ralph/current-loop-id", "x\n")
            try directory.write("w/.ralph/current-loop-id", "y\n")
            chmod(try directory.write("ralph", "#!/bin/sh\necho > up\nsleep 60 & wait\n"), 0o755)
            let innocent = try start(script, [:])
            try await eventually(within: .seconds(10)) {
                innocent.identity.commandLine?.contains("-c") == false
            }
            try directory.write("w/.ralph/loops.json", registry(innocent.pid, directory))

            try await expectNoRun(controller(directory, worktree: "x"), innocent.identity)
        }
    }

    @Test(arguments: [(".ralph/sessions/a", SessionDirectory.Layout.nested), (".agent", .agent)])
    func `a stop of what lies in a loop's worktree beside it leaves the loop alone`(
        _ place: String, _ layout: SessionDirectory.Layout
    ) async throws {
        try await withChildren { directory, start in
            let worktree = directory.path + "/w/.worktrees/x"
            try directory.write("w/.ralph/current-loop-id", "y\n")
            try directory.write("w/.worktrees/x/\(place)/events.jsonl", "")
            chmod(try directory.write("ralph", "#!/bin/sh\nsleep 60 & wait\n"), 0o755)
            let loop = try start("cd w; exec ../ralph run --rpc", [:])
            try await eventually(within: .seconds(10), "a ralph") {
                loop.identity.commandLine?.contains("run") == true
            }
            try directory.write("w/.ralph/loops.json", registry(loop.pid, directory))
            let session = DiscoveredSession(
                directory: SessionDirectory(
                    path: "\(worktree)/\(place)", workspace: worktree, layout: layout),
                worktreeOf: directory.path + "/w")

            try await expectNoRun(controller(of: session, directory), loop.identity)
        }
    }

    @Test func `a registry does not pass the main run off as a worktree's`() async throws {
        try await withChildren { directory, start in
            try directory.write("w/.worktrees/x/.ralph/current-loop-id", "x\n")
            try directory.write("w/.ralph/loop.lock", "")
            chmod(try directory.write("ralph", "#!/bin/sh\necho > up\nsleep 60 & wait\n"), 0o755)
            let main = try start("cd w; exec flock -F -n .ralph/loop.lock ../ralph run --rpc", [:])
            try await eventually(within: .seconds(10)) {
                FileManager.default.fileExists(atPath: directory.path + "/w/up")
            }
            try directory.write("w/.ralph/loops.json", registry(main.pid, directory))

            try await expectNoRun(controller(directory, worktree: "x"), main.identity)
        }
    }

    @Test func `who works elsewhere and holds the lock is not ended`() async throws {
        try await withChildren { directory, start in
            try directory.write("w/.ralph/loop.lock", "")
            let innocent = try start(
                "exec flock -F -n w/.ralph/loop.lock sh -c 'echo $$ > up; exec sleep 60'", [:])
            let pid = try await directory.pid("up")
            #expect(pid == innocent.pid)

            try await expectNoRun(controller(directory), innocent.identity)
        }
    }

    @Test func `who reads a run's output is not taken for the run`() async throws {
        try await withChildren { directory, start in
            let id = SessionDirectory(workspace: directory.path + "/w").id.rawValue
            let log = try directory.write("runs/\(id)/1/stdout.jsonl", "")
            try directory.write("runs/\(id)/1/ralph.yml", "")
            try directory.write("w/.ralph/current-loop-id", "x\n")
            let innocent = try start("exec tail -f \(log) runs/\(id)/1/ralph.yml", [:])
            var record = RunRecord(
                session: SessionDirectory(workspace: directory.path + "/w").id,
                directory: directory.path + "/w/.ralph")
            record.phase = .starting
            let session = DiscoveredSession(directory: SessionDirectory(workspace: directory.path + "/w"))
            let controller = SessionController(
                session: session, record: record,
                settings: ControlSettings(ralph: nil, runs: directory.path + "/runs", environment: [:]),
                reports: ReportLog().reports, logger: Logger(label: "test"))

            _ = try await controller.stop(force: true, by: "test")
            #expect(innocent.identity.isAlive)
        }
    }
}
