import Testing

@testable import RalphSessions

/// Paths are compared and cut by their bytes, as the system does: accents are joined with what stands before them, a
/// slash too, and one text has several spellings.
struct PathKeyTests {
    private static let (composed, decomposed) = ("/r/caf\u{E9}", "/r/cafe\u{301}")

    private func isSame(_ path: String?, _ other: String) -> Bool { path?.isPath(other) == true }

    @Test func `what looks the same is another path`() {
        let (left, right) = (PathKey(Self.composed), PathKey(Self.decomposed))
        #expect(left != right && Set([left, right]).count == 2)
        #expect((left < right) != (right < left))
        let directories = [Self.composed, Self.decomposed].map(SessionDirectory.init(workspace:))
        #expect(directories[0] != directories[1] && Set(directories).count == 2)
    }

    @Test func `a path is cut behind the directory above it`() {
        #expect(isSame("/r/\u{301}x/y".path(below: "/r"), "\u{301}x/y"))
        #expect(isSame("/\u{301}x".path(below: "/"), "\u{301}x"))
        #expect("/r".path(below: "/r") == nil)
        #expect("/rx/y".path(below: "/r") == nil)
        #expect((Self.decomposed + "/y").path(below: Self.composed) == nil)
    }

    @Test func `a path is cut at its last slash`() {
        let parts = "/r/\u{301}x".pathParts
        #expect(isSame(parts?.parent, "/r") && isSame(parts?.name, "\u{301}x"))
        #expect("/r".pathParts?.parent == "/")
        #expect("r".pathParts == nil)
    }

    @Test(
        arguments: [
            ("/w/.worktrees/x/s/key", ["/w/s/key"]), ("/w/.worktrees/x", ["/w"]), ("/.worktrees/x", ["/"]),
            ("/w/.worktrees/a/.worktrees/b/k", ["/w/.worktrees/a/k", "/w/k"]),
            ("/w/.worktrees/\u{301}x/\u{301}k", ["/w/\u{301}k"]),
            ("/w/.worktrees", []), ("/w/a.worktrees/x", []), ("/w/k", []), ("/", []),
        ] as [(String, [String])])
    func `what a worktree has is in the checkouts above it as well`(_ path: String, _ originals: [String]) {
        #expect(path.originals.map(PathKey.init) == originals.map(PathKey.init))
    }

    @Test func `a worktree's copy of a secret is one`() {
        for path in ["/w/s", "/w/s/key", "/w/.worktrees/x/s/key", "/w/.worktrees/a/.worktrees/b/s"] {
            #expect(path.isSecret(among: ["/q", "/w/s"]), "\(path)")
        }
        for path in ["/w/sx", "/w/.worktrees/x/t/s", "/q/.worktrees/x/s", "/w"] {
            #expect(!path.isSecret(among: ["/w/s"]), "\(path)")
        }
    }

    @Test func `what lies below an unreadable directory is not seen, its twin is`() {
        var result = ScanResult()
        result.note(unreadable: Self.composed, "")
        result.note(unreadable: "/q", "")
        #expect(result.couldNotSee(Self.composed + "/x"))
        #expect(result.couldNotSee("/q/\u{301}x"))
        #expect(!result.couldNotSee(Self.decomposed + "/x"))
    }

    @Test func `a pointer does not lead out between a slash and an accent`() {
        let directory = SessionDirectory(workspace: "/r/w")
        #expect(directory.eventsPath(pointer: "../\u{301}x/events.jsonl") == nil)
        #expect(isSame(directory.eventsPath(pointer: "a/../\u{301}x"), "/r/w/\u{301}x"))
    }

    @Test func `paths in the root directory have one slash`() {
        let directory = SessionDirectory(workspace: "/")
        #expect(directory == SessionDirectory(path: "/.ralph", workspace: "/", layout: .ralph))
        #expect(SessionDirectory(workspace: "/.worktrees/x").mainOfWorktree == directory)
        for name in ["/events.jsonl", "/.ralph/events.jsonl", "/x/events.jsonl"] {
            let source = TailSource(engine: name, of: directory)
            #expect(source.map { TailSource(key: $0.key, in: directory) } == source && source?.path == name)
        }
        let worktree = DiscoveredSession(directory: SessionDirectory(workspace: "/x"), worktreeOf: "/")
        #expect(worktree.configurationFiles == ["/x/ralph.yml", "/ralph.yml"])
    }

    @Test func `an events file is the workspace's own, and found by its key`() {
        let directory = SessionDirectory(workspace: Self.composed)
        for name in [".ralph/\u{301}.jsonl", "\u{301}x/events.jsonl"] {
            let path = Self.composed + "/" + name
            let source = TailSource(engine: path, of: directory)
            #expect(isSame(source?.path, path))
            #expect(isSame(source.map { TailSource(key: $0.key, in: directory).path }, path))
        }
        #expect(TailSource(engine: Self.decomposed + "/.ralph/events.jsonl", of: directory) == nil)
    }
}
