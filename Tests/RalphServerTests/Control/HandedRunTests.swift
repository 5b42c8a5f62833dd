import Foundation
import RalphControl
import RalphSessions
import RalphTestSupport
import RalphWire
import Testing

@testable import RalphServer

/// A loop in a worktree, between its registration and the answer to whoever started it.
@Suite(.timeLimit(.minutes(1)))
struct HandedRunTests {
    private static var setup: StandInSetup {
        var setup = StandInSetup(
            steps: "always:\n  touch .ralph/began\n  wait-for .ralph-go\n  emit slice.planned next\n")
        setup.isRepository = true
        return setup
    }

    @Test func `a pause of a loop before its start is answered holds on`() async throws {
        let requester = Requester.unrevocable("test")
        try await withStandInWorkspace(Self.setup) { workspace in
            try await withServerParts(in: workspace.outside, { $0.ralph = StandIn.ralph }) { _, parts in
                let control = parts.control
                let main = DiscoveredSession(directory: SessionDirectory(workspace: workspace.path))
                let controller = control.controller(of: main)
                var plan = LaunchPlan(workspace: workspace.path, prompt: .text("go"))
                try await controller.start(plan, by: requester)
                plan.worktree = true
                let run = try await controller.start(plan, by: requester)
                let id = try #require(SessionID(run.record.session))
                control.ingest.requestScan()
                try await eventually(within: .seconds(20), "the loop") {
                    control.catalogue.entry(id)?.liveness.lockHeld == true
                }
                let session = try control.catalogue.require(id).session
                // Before its first iteration a pause holds at once.
                // The file lies where git looks away: else the worktree would begin with a copy of the primary's.
                try await eventually(within: .seconds(20), "its agent") {
                    FileManager.default.fileExists(atPath: session.directory.workspace + "/.ralph/began")
                }
                let loop = try control.controller(for: id)
                #expect(try await loop.pause(now: false, by: requester).isPending)

                // What its start stores of it may come as late as this, and then its process.
                try control.reports(of: main.id).saveObserved(run.record)
                #expect(control.registry.run(id)?.record.phase == .pausing)
                await control.take(run, in: session)

                #expect(try control.controller(for: id) === loop)
                let record = try #require(control.registry.run(id)?.record)
                #expect(record.phase == .pausing && record.plan == run.record.plan)
                #expect(FileManager.default.fileExists(atPath: session.directory.pauseRequested))
                for controller in [loop, controller] {
                    try await controller.stop(force: true, by: requester)
                }
            }
        }
    }
}
