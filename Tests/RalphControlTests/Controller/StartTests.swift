import Foundation
import RalphSessions
import RalphTestSupport
import Testing

@testable import RalphControl

@Suite(.timeLimit(.minutes(1))) struct StartTests {
    @Test func `a started run is registered when the answer comes`() async throws {
        try await withScene(rounds(50)) { scene in
            try scene.workspace.put("stop-requested")
            try scene.workspace.put("pause-requested")

            let record = try await scene.controller.start(scene.plan, by: "test").record

            #expect(record.phase == .running)
            #expect(record.hasGate)
            #expect(record.process?.isAlive == true)
            #expect(record.output.map { FileManager.default.fileExists(atPath: $0) } == true)
            #expect(scene.log.records.map(\.phase) == [.starting, .starting, .running])
            #expect(scene.leftovers.isEmpty)
            try await eventually(within: .seconds(10), "iterations") { scene.iterations >= 2 }
        }
    }

    @Test func `a second start is refused with the session that runs`() async throws {
        try await withScene(rounds(50)) { scene in
            try await scene.controller.start(scene.plan, by: "test")

            await #expect(throws: ControlError.alreadyRunning(scene.directory.id)) {
                try await scene.controller.start(scene.plan, by: "test")
            }
        }
    }

    @Test(arguments: ["false", "no-such-program"])
    func `a ralph that cannot run leaves no run and no process`(program: String) async throws {
        try await withStandInWorkspace(rounds(50)) { workspace in
            let path = program == "false" ? "/bin/false" : "/nowhere/ralph"
            let scene = ControllerScene(workspace, ralph: path)

            let error = await #expect(throws: ControlError.self) {
                try await scene.controller.start(scene.plan, by: "test")
            }

            switch error {
            case .ralphMissing: #expect(program != "false")
            case .failedToSpawn(let reason): #expect(reason == "exited with code 1")
            default: Issue.record("\(String(describing: error))")
            }
            // What cannot be started at all is not even on record.
            #expect(scene.log.last?.phase == (program == "false" ? .ended : nil))
            #expect(scene.log.last?.exit?.code == (program == "false" ? 1 : nil))
            #expect(workspace.liveProcesses().isEmpty)
        }
    }

    @Test func `a stop during a start ends it`() async throws {
        try await withStandInWorkspace(rounds(50)) { workspace in
            let script = try workspace.outside.write("slow", "#!/bin/sh\ntouch hung\nexec sleep 60\n")
            chmod(script, 0o755)
            let scene = ControllerScene(workspace, ralph: script)
            let (controller, plan) = (scene.controller, scene.plan)
            async let start = outcome { () async throws(ControlError) in
                try await controller.start(plan, by: "test").record.phase
            }
            try await workspace.waitForFile("hung")

            let stop = try await scene.controller.stop(force: false, by: "test")

            #expect(await start == .failure(.superseded))
            #expect(stop.already)
            #expect(scene.log.last?.phase == .ended)
            #expect(workspace.liveProcesses().isEmpty)
        }
    }

    @Test func `the process of somebody else is told from ours`() async throws {
        try await withScene(rounds(50)) { scene in
            let process = try #require(ProcessIdentity(pid: getpid()))

            try await scene.controller.requireOwn(process)
            await #expect(throws: ControlError.foreignProcess(pid: getpid(), uid: geteuid())) {
                try await scene.controller.requireOwn(process, user: geteuid() + 1)
            }
            await #expect(throws: ControlError.foreignProcess(pid: 7, uid: nil)) {
                try await scene.controller.requireOwn(RunFacts(hidden: 7))
            }
        }
    }
}

/// What `body` gives or throws.
func outcome<Value: Sendable>(
    _ body: @Sendable () async throws(ControlError) -> Value
) async -> Result<Value, ControlError> {
    do throws(ControlError) {
        return .success(try await body())
    } catch {
        return .failure(error)
    }
}
