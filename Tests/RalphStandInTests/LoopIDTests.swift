import Foundation
import RalphTestSupport
import Testing

/// Which loop an id means to `ralph loops`.
@Suite(.timeLimit(.minutes(1))) struct LoopIDTests {
    /// A repository with worktrees of loops, of which none is registered or queued.
    private func withWorktrees(
        _ ids: [String], _ body: (StandInWorkspace) async throws -> Void
    ) async throws {
        var setup = StandInSetup(steps: "always:\ncomplete")
        setup.isRepository = true
        try await withStandInWorkspace(setup) { workspace in
            for id in ids {
                let arguments = ["worktree", "add", "-q", "-b", "ralph/" + id, ".worktrees/" + id]
                try await expectExit(.code(0), of: workspace.launch("git", arguments))
            }
            try await body(workspace)
        }
    }

    @Test func `a part of an id is as good as all of it`() async throws {
        try await withWorktrees(["fair-rose"]) { workspace in
            let exit = try await workspace.ralph(["loops", "discard", "ralph", "-y"]).exit
            #expect(exit == .code(0))
            #expect(!workspace.exists(".worktrees/fair-rose"))
        }
    }

    @Test func `the queue comes before branches`() async throws {
        try await withWorktrees(["elk", "lone-elk"]) { workspace in
            try workspace.put(
                "merge-queue.jsonl",
                #"{"ts":"2026-01-01T00:00:00Z","loop_id":"lone-elk","event":{"type":"queued","prompt":"p"}}"#
                    + "\n")
            let exit = try await workspace.ralph(["loops", "discard", "elk", "-y"]).exit
            #expect(exit == .code(0))
            #expect(workspace.exists(".worktrees/elk") && !workspace.exists(".worktrees/lone-elk"))
        }
    }

    @Test func `a loop that was never queued is discarded without a row`() async throws {
        try await withWorktrees(["fair-rose"]) { workspace in
            let exit = try await workspace.ralph(["loops", "discard", "fair-rose", "-y"]).exit
            #expect(exit == .code(0))
            #expect(!workspace.exists(".ralph/merge-queue.jsonl"))
            let again = try await workspace.ralph(["loops", "discard", "fair-rose", "-y"]).exit
            #expect(again == .code(1))
        }
    }
}
