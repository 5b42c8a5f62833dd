import Foundation
import RalphTestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct WorktreeTests {
    /// A primary loop that waits, and beside it a worktree loop that has ended.
    private func withFinishedLoop(
        _ arguments: [String] = [], _ body: (StandInWorkspace, String) async throws -> Void
    ) async throws {
        let steps = """
            iteration 1:
            touch started
            wait-for go
            touch made-here.txt
            complete
            """
        var setup = StandInSetup(steps: steps)
        setup.isRepository = true
        setup.sections = "features: {auto_merge: true}"
        try await withStandInWorkspace(setup) { workspace in
            let primary = try workspace.run()
            try await workspace.waitForFile("started")
            try workspace.directory.write("notes.txt", "not committed")
            let beside = try workspace.run(["--rpc", "-p", "Side job"] + arguments)
            try await eventually(within: .seconds(20), "the worktree's agent") {
                id(in: workspace).map { workspace.exists(".worktrees/\($0)/started") } ?? false
            }
            let loop = try #require(id(in: workspace))
            try workspace.directory.write(".worktrees/\(loop)/go", "")
            try await expectExit(.code(0), of: beside)
            try workspace.put("stop-requested")
            try workspace.directory.write("go", "")
            try await expectExit(.code(1), of: primary)
            try await body(workspace, loop)
        }
    }

    private func id(in workspace: StandInWorkspace) -> String? {
        // No directory yet: no loop yet.
        try? workspace.directory.names(in: ".worktrees").first
    }

    @Test func `a worktree loop has its own files and what was not committed`() async throws {
        try await withFinishedLoop { workspace, id in
            let own = ".worktrees/\(id)/.ralph/"
            #expect(workspace.text(own + "current-loop-id") == id)
            #expect(workspace.text(".worktrees/\(id)/notes.txt") == "not committed")
            #expect(workspace.exists(own + "agent/context.md"))
            #expect(!workspace.exists(own + "loop.lock"))
            #expect(workspace.text(".ralph/loops.json") == "{\n  \"loops\": []\n}")
            #expect(workspace.exists(".worktrees/\(id)/made-here.txt"))
        }
    }

    @Test func `a completed loop is queued and can be merged`() async throws {
        try await withFinishedLoop { workspace, id in
            let list = try await workspace.ralph(["loops", "list", "--json"]).output
            #expect(list.contains(#""id": "\#(id)""#) && list.contains(#""status": "queued""#))

            #expect(try await workspace.ralph(["loops", "merge", id]).exit == .code(0))

            #expect(workspace.text(".ralph/merge-queue.jsonl")?.contains(#""type":"merged""#) == true)
            #expect(!workspace.exists(".worktrees/\(id)"))
            #expect(try await workspace.ralph(["loops", "list"]).output == "No loops found.\n")
        }
    }

    @Test func `a queued loop can be discarded`() async throws {
        try await withFinishedLoop { workspace, id in
            let (exit, _) = try await workspace.ralph(["loops", "discard", id, "-y"])
            #expect(exit == .code(0))

            #expect(!workspace.exists(".worktrees/\(id)"))
            #expect(try await workspace.ralph(["loops", "list", "--all"]).output.contains("discarded"))
            #expect(try await workspace.ralph(["loops", "merge", id]).exit == .code(1))
        }
    }

    @Test func `with --no-auto-merge nothing is queued`() async throws {
        try await withFinishedLoop(["--no-auto-merge"]) { workspace, _ in
            #expect(!workspace.exists(".ralph/merge-queue.jsonl"))
        }
    }
}
