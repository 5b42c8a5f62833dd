import Foundation
import RalphTestSupport
import Synchronization
import Testing

@testable import RalphControl

/// Commands of somebody who may not ask for them any more.
@Suite(.timeLimit(.minutes(1))) struct RequesterTests {
    private static let revoked = Requester("device") { false }

    @Test func `a stop by somebody revoked overtakes nothing`() async throws {
        try await withStandInWorkspace(rounds(50)) { workspace in
            // The start waits for the registration until the file is there.
            let script = try workspace.outside.write(
                "slow",
                "#!/bin/sh\ntouch hung\nwhile [ ! -e let-go ]; do sleep 0.05; done\nexec '\(StandIn.ralph)' \"$@\"\n"
            )
            chmod(script, 0o755)
            let scene = ControllerScene(workspace, ralph: script)
            let (controller, plan) = (scene.controller, scene.plan)
            async let start = controller.start(plan, by: "test")
            try await workspace.waitForFile("hung")

            await #expect(throws: ControlError.revoked) {
                try await controller.stop(force: true, by: Self.revoked)
            }
            try workspace.directory.write("let-go", "")

            #expect(try await start.record.phase == .running)
            _ = try await controller.stop(force: true, by: "test")
        }
    }

    @Test func `a resume that waited for the run's end is none of somebody revoked meanwhile`() async throws {
        try await withScene(gated(hold: "go")) { scene in
            _ = try scene.workspace.run(["--no-tui"])
            try await scene.workspace.waitForFile("began")
            _ = try await scene.controller.pause(now: false, by: "test")
            // As if the run had seen it, and took its time to end.
            try scene.workspace.directory.remove(".ralph/stop-requested")
            let asked = Mutex(0)
            let device = Requester("device") {
                asked.withLock { count in
                    count += 1
                    return count == 1
                }
            }
            let controller = scene.controller
            async let resume: Void = {
                await #expect(throws: ControlError.revoked) { try await controller.resume(by: device) }
            }()
            try await eventually(within: .seconds(10), "its turn") { asked.withLock { $0 } == 1 }
            // The controller answers this when the command waits.
            _ = await controller.record

            try scene.workspace.put("stop-requested")
            try scene.workspace.directory.write("go", "")
            await resume

            #expect(await controller.record?.phase == .halted)
            #expect(scene.workspace.liveProcesses().isEmpty)
        }
    }

    @Test func `what somebody revoked sends is not appended`() async throws {
        try await withScene(rounds(50)) { scene in
            try await scene.controller.start(scene.plan, by: "test")

            await #expect(throws: ControlError.revoked) {
                try await scene.controller.steer("x", urgent: true, by: Self.revoked, marker: "cmd_1")
            }
            await #expect(throws: ControlError.revoked) {
                try await scene.controller.emit(
                    topic: "user.note", payload: nil, force: true, by: Self.revoked, marker: "cmd_2")
            }
            await #expect(throws: ControlError.revoked) {
                try await scene.controller.answer(.row(text: "yes"), by: Self.revoked, marker: "cmd_3")
            }

            #expect(!scene.workspace.topics.contains { $0.hasPrefix("human.") || $0.hasPrefix("user.") })
            _ = try await scene.controller.stop(force: true, by: "test")
        }
    }
}
