import Foundation
import RalphSessions
import RalphTestSupport
import RalphWire
import Testing

@testable import RalphControl

/// Programs that start a Ralph and stay.
@Suite(.timeLimit(.minutes(1))) struct WrapperTests {
    /// One run of one iteration; the wrapper ends with code 7 when there is a file `let-go`.
    private func withWrapper(_ body: (ControllerScene) async throws -> Void) async throws {
        var setup = rounds(400)
        setup.eventLoop = ["max_iterations: 1"]
        try await withStandInWorkspace(setup) { workspace in
            let script = try workspace.outside.write(
                "wrapper",
                """
                #!/bin/sh
                '\(StandIn.ralph)' "$@"
                echo $$ >> wrappers
                while [ ! -e let-go ]; do sleep 0.05; done
                exit 7

                """)
            chmod(script, 0o755)
            try await body(ControllerScene(workspace, ralph: script))
        }
    }

    private func wrappers(_ scene: ControllerScene) -> [Int32] {
        (scene.workspace.text("wrappers") ?? "").split(separator: "\n").compactMap { Int32($0) }
    }

    private func expectAllReaped(_ scene: ControllerScene, _ count: Int) async throws {
        try await eventually(within: .seconds(10), "wrappers") { wrappers(scene).count == count }
        #expect(scene.controller.hasUnreaped)
        try scene.workspace.put("../let-go")
        try await eventually(within: .seconds(10), "reaped") {
            await scene.controller.observe()
            return !scene.controller.hasUnreaped
        }
        for pid in wrappers(scene) { #expect(kill(pid, 0) != 0 && errno == ESRCH) }
    }

    @Test func `one that outlives its run is reaped, and its code is known`() async throws {
        try await withWrapper { scene in
            try await scene.controller.start(scene.plan, by: "test")
            try await scene.reach(.ended)

            try await expectAllReaped(scene, 1)
            #expect(await scene.controller.record?.exit?.code == 7)
        }
    }

    @Test func `one that outlives its run is reaped beside that of the next run`() async throws {
        try await withWrapper { scene in
            for _ in 1...2 {
                try await scene.controller.start(scene.plan, by: "test")
                try await scene.reach(.ended)
            }

            try await expectAllReaped(scene, 2)
        }
    }

    @Test func `a run that ends under the start of a loop is reaped`() async throws {
        var setup = rounds(50)
        setup.isRepository = true
        try await withStandInWorkspace(setup) { workspace in
            let script = try workspace.outside.write(
                "late",
                """
                #!/bin/sh
                if [ -e once ]; then
                    touch hung
                    while [ ! -e let-go ]; do sleep 0.05; done
                fi
                touch once
                exec '\(StandIn.ralph)' "$@"

                """)
            chmod(script, 0o755)
            let scene = ControllerScene(workspace, ralph: script)
            let process = try #require(
                try await scene.controller.start(scene.plan, by: "test").record.process)
            var beside = scene.plan
            beside.worktree = true
            let (controller, plan) = (scene.controller, beside)
            async let start = outcome { () async throws(ControlError) in
                try await controller.start(plan, by: "test").record
            }
            try await workspace.waitForFile("hung")

            kill(process.pid, SIGKILL)
            try await eventually(within: .seconds(10), "its end") { !process.isAlive }
            try workspace.put("../let-go")

            let record = try await start.get()
            #expect(record.session == scene.directory.id.rawValue && record.process?.isAlive == true)
            await controller.observe()
            #expect(kill(process.pid, 0) != 0 && errno == ESRCH)
            _ = try await controller.stop(force: true, by: "test")
        }
    }
}
