import Foundation
import RalphControl
import RalphSessions
import RalphTestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct GitPlaceTests {
    private func makeRepository(_ name: String, in directory: TemporaryDirectory) throws {
        try directory.write(name + "/HEAD", "ref: refs/heads/main\n")
    }

    @Test func `a repository is found from below`() async throws {
        try await withTemporaryDirectory { directory in
            try makeRepository("project/.git", in: directory)
            try directory.write("project/sub/deep/x", "")
            let place = try GitPlace(workspace: directory.path + "/project/sub/deep", roots: [])

            #expect(place?.top == directory.path + "/project")
            #expect(place?.directory == directory.path + "/project/.git")
            #expect(place?.common == directory.path + "/project/.git")
            #expect(place?.prefix == "sub/deep/")
        }
    }

    @Test func `a workspace whose name begins with an accent lies below the repository`() async throws {
        try await withTemporaryDirectory { directory in
            try makeRepository("project/.git", in: directory)
            try directory.write("project/\u{301}x/y", "")
            let place = try GitPlace(workspace: directory.path + "/project/\u{301}x", roots: [])

            #expect(place?.top == directory.path + "/project")
            #expect(place?.prefix.isPath("\u{301}x/") == true)
        }
    }

    @Test func `a workspace that is gone has no repository`() async throws {
        try await withTemporaryDirectory { directory in
            try makeRepository(".git", in: directory)
            #expect(try GitPlace(workspace: directory.path + "/gone", roots: [directory.path]) == nil)
            #expect(try GitPlace(workspace: directory.path, roots: []) != nil)
        }
    }

    @Test func `a repository that cannot be looked at is not told as none`() async throws {
        try await withTemporaryDirectory { directory in
            try makeRepository(".git", in: directory)
            let head = directory.path + "/.git/HEAD"
            try #require(chmod(head, 0) == 0)

            withoutRights {
                #expect(throws: UnreadableFile(head, SystemCode(EACCES))) {
                    try GitPlace(workspace: directory.path, roots: [])
                }
            }
        }
    }

    @Test func `a worktree shares the main git directory`() async throws {
        try await withTemporaryDirectory { directory in
            try makeRepository("main/.git", in: directory)
            try makeRepository("main/.git/worktrees/one", in: directory)
            try directory.write("main/.git/worktrees/one/commondir", "../..\n")
            try directory.write("main/.git/worktrees/one/gitdir", directory.path + "/one/.git\n")
            try directory.write("one/.git", "gitdir: \(directory.path)/main/.git/worktrees/one\n")
            let place = try GitPlace(workspace: directory.path + "/one", roots: [])

            #expect(place?.directory == directory.path + "/main/.git/worktrees/one")
            #expect(place?.common == directory.path + "/main/.git")
            #expect(place?.checkouts == [directory.path + "/one", directory.path + "/main"])
        }
    }

    @Test func `a worktree in a worktree may have copies of both checkouts above it`() async throws {
        try await withTemporaryDirectory { directory in
            try makeRepository("w/.worktrees/a/.worktrees/b/.git", in: directory)
            let workspace = directory.path + "/w/.worktrees/a/.worktrees/b"
            let place = try GitPlace(workspace: workspace, roots: [])

            #expect(
                place?.checkouts == [workspace, directory.path + "/w/.worktrees/a", directory.path + "/w"])
        }
    }

    @Test func `somebody else's repository is none`() async throws {
        try await withTemporaryDirectory { directory in
            try makeRepository("private/.git", in: directory)
            try directory.write("file/.git", "gitdir: ../private/.git\n")
            try directory.write("linked/x", "")
            try FileManager.default.createSymbolicLink(
                atPath: directory.path + "/linked/.git", withDestinationPath: "../private/.git")

            for name in ["file", "linked"] {
                let workspace = directory.path + "/" + name
                #expect(try GitPlace(workspace: workspace, roots: [workspace]) == nil)
                #expect(try GitPlace(workspace: workspace, roots: [directory.path]) != nil)
            }
        }
    }

    @Test(arguments: ["", "gitdir:", "gitdir: nowhere", "gitdir: .", String(repeating: "x", count: 20_000)])
    func `a broken .git file makes no repository`(_ text: String) async throws {
        try await withTemporaryDirectory { directory in
            try directory.write("w/.git", text)
            #expect(try GitPlace(workspace: directory.path + "/w", roots: [directory.path]) == nil)
        }
    }
}
