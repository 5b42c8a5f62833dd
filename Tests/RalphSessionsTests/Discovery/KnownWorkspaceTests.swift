import Foundation
import RalphTestSupport
import Synchronization
import Testing

@testable import RalphSessions

@Suite(.timeLimit(.minutes(1)))
struct KnownWorkspaceTests {
    private func found(
        _ directory: TemporaryDirectory, roots: [String], _ workspaces: [String], excludes: Set<String> = []
    ) -> [String] {
        var settings = DiscoverySettings(roots: roots.map { directory.path + $0 })
        settings.depth = 1
        settings.excludes = excludes
        settings.workspaces = { workspaces.map { directory.path + $0 } }
        var scanner = SessionScanner(settings: settings)
        return scanner.scan().sessions.map { directory.relative($0.facts.directory.path) }
    }

    @Test func `a known workspace is found however deep it lies, with its worktrees and nothing below`()
        async throws
    {
        try await withTemporaryDirectory { directory in
            let deep = "r/a/b/node_modules/c"
            for name in ["r/x", deep, deep + "/d", deep + "/.worktrees/w"] {
                try directory.makeWorkspace(name)
            }
            try directory.write(deep + "/.worktrees/w/.ralph/current-loop-id", "w")
            try directory.write(deep + "/.worktrees/w/.ralph/events-20260102-000000.jsonl", "")

            #expect(found(directory, roots: ["/r"], []) == ["r/x/.ralph"])
            let all = found(directory, roots: ["/r"], ["/" + deep, "/r/x"])
            #expect(all.sorted() == [deep + "/.ralph", deep + "/.worktrees/w/.ralph", "r/x/.ralph"].sorted())
        }
    }

    @Test func `a known worktree is looked at through its main workspace, which knows what in it is a copy`()
        async throws
    {
        try await withTemporaryDirectory { directory in
            for (main, roots) in [
                ("r/x", ["/r"]), ("r/a/b/c", ["/r"]), ("r", ["/r"]), ("r/y", ["/r/y/.worktrees"]),
            ] {
                try directory.makeWorkspace(main, loop: "primary-20260101-000000")
                try directory.makeWorkspace(main + "/.worktrees/w", loop: "primary-20260101-000000")

                let all = found(directory, roots: roots, ["/" + main + "/.worktrees/w"])
                #expect(all.contains(main + "/.ralph") == (roots == ["/r"]))
                #expect(all.contains(main + "/.worktrees/w/.ralph") != (roots == ["/r"]))
            }
        }
    }

    @Test(arguments: ["r/x", "r/a/b/c"]) func `a known worktree is looked at where worktrees are excluded`(
        main: String
    )
        async throws
    {
        try await withTemporaryDirectory { directory in
            let names = ["/.worktrees/w", "/.worktrees/w/.worktrees/x", "/.worktrees/copy"]
            for name in [""] + names { try directory.makeWorkspace(main + name) }
            for (number, name) in names.dropLast().enumerated() {
                try directory.write(main + name + "/.ralph/current-loop-id", "loop-\(number)")
            }
            func found(_ known: [String]) -> [String] {
                self.found(
                    directory, roots: ["/r"], known.map { "/" + main + $0 }, excludes: [".worktrees"])
            }

            #expect(found([names[1]]) == [main + "/.ralph", main + names[1] + "/.ralph"])
            #expect(
                found(names).sorted() == ["", names[0], names[1]].map { main + $0 + "/.ralph" }.sorted())
        }
    }

    @Test(arguments: [(2, 200_000, ["r/p0", "r/p1"]), (20_000, 3, ["r/p0"])])
    func `roots and known workspaces are looked at behind every limit`(
        _ sessions: Int, _ directories: Int, _ first: [String]
    ) async throws {
        try await withTemporaryDirectory { directory in
            let worktree = "r/q/.worktrees/w"
            for name in ["r/p0", "r/p1", "r/p2", "r/q", "second"] { try directory.makeWorkspace(name) }
            try directory.makeWorkspace(worktree, run: "20260303-000000", loop: "fair-rose")
            let path = directory.path

            let result = directory.scan {
                $0.roots = [path + "/r", path + "/second"]
                $0.workspaces = { [path + "/" + worktree] }
                $0.maximumSessions = sessions
                $0.maximumDirectories = directories
            }

            let found = result.sessions.map { directory.relative($0.facts.directory.path) }
            let wanted = (first + ["r/q", "second", worktree]).map { $0 + "/.ralph" }
            #expect(found.sorted() == wanted.sorted())
            #expect(result.isTruncated)
        }
    }

    @Test func `a known workspace that is gone, or below no root, is passed over`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.makeWorkspace("r/x")
            try directory.makeWorkspace("rest/a/b")
            try FileManager.default.createSymbolicLink(
                atPath: directory.path + "/r/link", withDestinationPath: directory.path + "/rest/a/b")

            #expect(found(directory, roots: ["/r"], ["/rest/a/b", "/r/link", "/r/gone"]) == ["r/x/.ralph"])
        }
    }

    @Test(arguments: ["r/a/b/c", "r/a/b/c/.worktrees/w"])
    func `a known workspace that cannot be looked at for a while is not gone`(known: String) async throws {
        try await withTemporaryDirectory { directory in
            let (main, closed) = ("r/a/b/c", directory.path + "/r/a/b")
            try directory.makeWorkspace(main)
            try directory.makeWorkspace(main + "/.worktrees/w", loop: "fair-rose")
            let names = [main + "/.ralph", main + "/.worktrees/w/.ralph"]
            let fixture = try SessionWatcherFixture(directory) {
                $0.roots = [directory.path + "/r"]
                $0.depth = 1
                $0.rescanInterval = .milliseconds(50)
                $0.workspaces = { [directory.path + "/" + known] }
            }
            try await fixture.until("found") { $0.foundNames().sorted() == names }

            chmod(closed, 0)
            defer { chmod(closed, 0o700) }
            try await eventually(within: .seconds(20), "noted") {
                withoutRights { fixture.step() }
                return fixture.report.unreadable.map { directory.relative($0.path) } == [main]
            }
            #expect(fixture.gone.isEmpty)

            chmod(closed, 0o700)
            try await fixture.until("looked at again") { $0.report.unreadable.isEmpty }
            #expect(fixture.gone.isEmpty && fixture.foundNames().count == 2)
        }
    }

    @Test func `nobody asks where a known workspace below no root leads`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.makeWorkspace("r/x")
            try directory.makeWorkspace("r/a/b/c")
            try FileManager.default.createSymbolicLink(
                atPath: directory.path + "/link", withDestinationPath: directory.path + "/r/a/b/c")

            #expect(found(directory, roots: ["/r"], ["/link"]) == ["r/x/.ralph"])
        }
    }

    @Test func `a workspace that becomes known is found when a scan is asked for`() async throws {
        try await withTemporaryDirectory { directory in
            let known = Known()
            let fixture = try SessionWatcherFixture(directory) {
                $0.depth = 0
                $0.rescanInterval = .seconds(3600)
                $0.workspaces = { known.paths.withLock(\.self) }
            }
            try directory.makeWorkspace("a/b/p")
            fixture.step()
            #expect(fixture.found.isEmpty)

            known.paths.withLock { $0 = [directory.path + "/a/b/p"] }
            fixture.watcher.requestScan()
            try await fixture.until("found") { $0.foundNames() == ["a/b/p/.ralph"] }
        }
    }

    private final class Known: Sendable {
        let paths = Mutex<[String]>([])
    }
}
