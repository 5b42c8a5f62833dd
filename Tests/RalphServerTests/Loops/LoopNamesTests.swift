import Foundation
import RalphControl
import RalphTestSupport
import RalphWire
import Testing

@testable import RalphServer

/// Which loop Ralph takes an id for.
struct LoopNamesTests {
    private static func tree(_ id: String) -> RalphWorktree {
        RalphWorktree(path: "/w/.worktrees/\(id)", branch: "ralph/\(id)")
    }

    @Test(arguments: [
        // Exactly this one.
        (["rose", "fair-rose"], [], [], nil),
        ([], ["fair-rose", "rose"], [], nil),
        ([], ["rose"], ["lone-elk"], nil),
        ([], [], ["rose"], nil),
        // Git lists it before the one that has it as a part.
        ([], [], ["rose", "rose-2"], nil),
        // Another one, whose id has this one as a part.
        (["fair-rose"], ["rose"], ["rose"], "fair-rose"),
        ([], ["fair-rose"], ["rose"], "fair-rose"),
        ([], [], ["fair-rose", "rose"], "fair-rose"),
        ([], [], ["rose-2"], "rose-2"),
        // The queue has it; the worktree that ends so is another one's.
        ([], ["rose"], ["fair-rose"], "fair-rose"),
    ])
    func `an id is taken for the first that has it as a part`(
        registered: [String], queued: [String], worktrees: [String], other: String?
    ) {
        let names = LoopNames(
            registered: registered, queued: queued, worktrees: worktrees.map(Self.tree))
        var loop = Loop(id: "rose", isPrimary: false, workspace: "/w")
        loop.worktree = "/w/.worktrees/rose"
        let problem = other.map { Problem.loopIDIsUnclear("rose", .discard, takenFor: $0) }
        #expect(names.problem(with: loop, .discard) == problem)
    }

    @Test func `what belongs to the prefix of branches is a part of every loop's name`() {
        let loop = Loop(id: "ralph", isPrimary: false, workspace: "/w")
        let names = LoopNames(worktrees: [Self.tree("swift-peacock")])
        #expect(
            names.problem(with: loop, .merge)
                == .loopIDIsUnclear("ralph", .merge, takenFor: "swift-peacock"))
        #expect(LoopNames().problem(with: loop, .merge) == .loopIsUnknown("ralph"))
    }

    @Test func `a merge of what is queued asks nothing about worktrees`() {
        let names = LoopNames(queued: ["rose"], worktrees: [Self.tree("fair-rose")])
        let loop = Loop(id: "rose", isPrimary: false, workspace: "/w")
        #expect(names.problem(with: loop, .merge) == nil)
        #expect(!names.needsWorktrees(for: "rose", .merge))
        #expect(names.needsWorktrees(for: "rose", .discard))
    }

    @Test func `a branch of this name that is checked out elsewhere is not this loop's`() {
        let names = LoopNames(worktrees: [RalphWorktree(path: "/w/.worktrees/elk", branch: "ralph/rose")])
        var loop = Loop(id: "rose", isPrimary: false, workspace: "/w")
        loop.worktree = "/w/.worktrees/rose"
        #expect(
            names.problem(with: loop, .discard)
                == .loopIDIsUnclear("rose", .discard, takenFor: "/w/.worktrees/elk"))
        // One that nobody has found is wherever git has it.
        loop.worktree = nil
        #expect(names.problem(with: loop, .discard) == nil)
    }

    @Test func `git's list is read as it is, with what has no branch of a loop left out`() {
        let list = """
            worktree /w
            HEAD 1111111111111111111111111111111111111111
            branch refs/heads/main

            worktree /w/.worktrees/fair rose
            HEAD 1111111111111111111111111111111111111111
            branch refs/heads/ralph/fair-rose

            worktree /w/.worktrees/elk
            HEAD 1111111111111111111111111111111111111111
            detached

            worktree /w/.worktrees/ralph
            HEAD 1111111111111111111111111111111111111111
            branch refs/heads/ralph/ralph/oak
            prunable gitdir file points to non-existent location

            """
        let found = RalphWorktree.parse(Array(list.utf8))
        #expect(found.map(\.path) == ["/w/.worktrees/fair rose", "/w/.worktrees/ralph"])
        #expect(found.map(\.loopID) == ["fair-rose", "oak"])
    }

    @Test(arguments: [
        ("exit 128", []), (#"echo "worktree /w/elk"; echo "branch refs/heads/ralph/elk""#, ["elk"]),
    ])
    func `git is found where Ralph finds it`(text: String, expected: [String]) async throws {
        try await withTemporaryDirectory { directory in
            let found = try await RalphWorktree.list(directory.path, try settings(directory, git: text))
            #expect(found.map(\.loopID) == expected)
        }
    }

    @Test func `a git that a signal ends did not say that there are no worktrees`() async throws {
        try await withTemporaryDirectory { directory in
            let settings = try settings(directory, git: "kill -9 $$")
            await #expect(throws: Problem.commandError("a signal ended git")) {
                try await RalphWorktree.list(directory.path, settings)
            }
        }
    }

    /// A `git` that runs `text`, beside `ralph` and not on the server's `PATH`.
    private func settings(_ directory: TemporaryDirectory, git text: String) throws -> ControlSettings {
        for (name, text) in [("ralph", ""), ("git", "#!/bin/sh\n\(text)\n")] {
            #expect(chmod(try directory.write("programs/\(name)", text), 0o755) == 0)
        }
        return ControlSettings(
            ralph: directory.path + "/programs/ralph", runs: "/", environment: ["PATH": "/nowhere"])
    }

    @Test func `a queue with a line that is not Ralph's is known for one`() {
        let ralph = #"{"ts":"2026-06-22T22:20:00Z","loop_id":"rose","event":{"type":"queued","prompt":""}}"#
        let former = #"{"type":"loop.queued","id":"elk","timestamp":"2026-06-22T22:20:00Z"}"#
        #expect(!MergeQueue(Array("\(ralph)\n\n".utf8)).hasOtherLines)
        #expect(MergeQueue(Array("\(ralph)\n\(former)\n".utf8)).hasOtherLines)
        #expect(MergeQueue(Array("\(ralph)\n{\n".utf8)).hasOtherLines)
    }
}
