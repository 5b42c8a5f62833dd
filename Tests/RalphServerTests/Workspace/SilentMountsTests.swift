import Foundation
import NIOPosix
import RalphControl
import RalphSessions
import RalphTestSupport
import RalphWire
import Testing

@testable import RalphServer

/// Paths of requests and files that lead to other machines, and to nothing of ours.
@Suite(.timeLimit(.minutes(1)))
struct SilentMountsTests {
    private static let table = """
        1 0 8:1 / / rw - ext4 /dev/sda rw
        2 1 0:5 / /mnt/dead rw - nfs4 host:/x rw
        3 1 0:6 / /net rw - autofs auto rw
        4 1 0:7 / /srv rw - fuse.sshfs host: rw
        """

    @Test(arguments: [
        ("/mnt/dead", true), ("/mnt/dead/x/", true), ("//mnt//./dead", true), ("/net/dead", true),
        ("/code/../mnt/dead", true), ("/mnt/dead/x/../../../tmp", true), ("/mnt/deadly", false),
        ("/mnt", false), ("/", false), ("/tmp/../code", false), ("/code/x/../../net/live/w/..", true),
        ("/net/live/w/x", false), ("/srv/other", false), ("/code", false), ("x", false), ("", false),
    ])
    func `what lies there by its text is held, unless something of ours does`(
        _ path: String, _ isHeld: Bool
    ) {
        let mounts = SilentMounts { Self.table }
        #expect(mounts.hold(path, besides: ["/code", "/srv/ours/a", "/net/live/w"]) == isHeld)
    }

    @Test func `nothing is held where the system does not tell`() {
        #expect(!SilentMounts { nil }.hold("/mnt/dead", besides: []))
    }

    // MARK: Who asks

    /// A workspace `base/w` of the root `base`, and beside that a directory with links into it.
    private func withScene(_ body: (TemporaryDirectory, SilentMounts) async throws -> Void) async throws {
        try await withTemporaryDirectory { directory in
            try directory.write(
                "base/w/ralph.yml", "skills: {dirs: [\"\(directory.path)/dead/a\", ../../dead/b]}")
            try directory.write("base/a/one.md", "one")
            try directory.write("base/b/two.md", "two")
            try directory.write("dead/file", "")
            for name in ["w", "a", "b"] {
                try FileManager.default.createSymbolicLink(
                    atPath: "\(directory.path)/dead/\(name)", withDestinationPath: "../base/\(name)")
            }
            let table = """
                1 0 8:1 / / rw - ext4 /dev/sda rw
                2 1 0:5 / \(directory.path)/dead rw - nfs4 host:/x rw
                """
            try await body(directory, SilentMounts { table })
        }
    }

    @Test func `what a root was given by is ours, also where that is a link on such a mount`() {
        for (own, isHeld) in [([], true), (["/mnt/dead/code"], false)] as [([String], Bool)] {
            let mounts = SilentMounts(own: own) { Self.table }
            #expect(mounts.hold("/mnt/dead/code/w", besides: ["/srv/code"]) == isHeld)
        }
    }

    /// The same path, and a disk that answers.
    private var answering: SilentMounts { SilentMounts { "1 0 8:1 / / rw - ext4 /dev/sda rw" } }

    @Test func `a workspace that may not answer is none, and is not looked up`() async throws {
        try await withScene { directory, mounts in
            let (root, path) = (directory.path + "/base", directory.path + "/dead/w")
            for name in [path, "../dead/w"] {
                let query = WorkspaceResolver.Name(try QueryItems("workspace=\(name)"))
                var resolver = WorkspaceResolver(
                    roots: [root], secrets: [], catalogue: SessionCatalogue())
                resolver.silent = answering
                #expect(try resolver.place(query).path == root + "/w")
                resolver.silent = mounts
                #expect(throws: Problem.workspaceNotFound(name)) { try resolver.place(query) }

                var places = LibraryPlaces(roots: [root], home: "/", configHome: "/", libraries: [])
                places.silent = answering
                #expect(try places.resolve(workspace: name) == root + "/w")
                places.silent = mounts
                #expect(throws: Problem.workspaceNotFound(name)) { try places.resolve(workspace: name) }

                var reader = LoopReader(
                    roots: [root], catalogue: SessionCatalogue())
                reader.silent = answering
                #expect(reader.workspaces(name, []) == [root + "/w"])
                reader.silent = mounts
                #expect(reader.workspaces(name, []) == nil)
            }
        }
    }

    @Test func `a worktree that may not answer is that of another workspace`() async throws {
        try await withScene { directory, mounts in
            let workspace = directory.path + "/base/w"
            let named = directory.path + "/dead/w/.worktrees/fair-rose"
            try directory.write("base/w/.worktrees/fair-rose/file", "")
            try directory.write(
                "base/w/.ralph/loops.json",
                #"{"loops":[{"id":"fair-rose","pid":1,"worktree_path":"\#(named)"}]}"#)
            var reader = LoopReader(
                roots: [directory.path + "/base"], catalogue: SessionCatalogue())
            for (silent, isElsewhere) in [(answering, false), (mounts, true)] {
                reader.silent = silent
                let lists = try await reader.lists(
                    of: [workspace], [], on: FileThreads(most: 4), within: .milliseconds(50))
                #expect(lists.first?.loops.map(\.isElsewhere) == [isElsewhere])
                #expect(lists.first?.loops.first?.worktree == workspace + "/.worktrees/fair-rose")
            }
        }
    }

    @Test func `a directory of skills that may not answer is passed over`() async throws {
        try await withScene { directory, mounts in
            let root = directory.path + "/base"
            for (silent, names) in [(answering, ["one", "two"]), (mounts, [])] {
                var places = LibraryPlaces(
                    roots: [root], home: directory.path, configHome: directory.path, libraries: [])
                places.silent = silent
                let library = Library(
                    places: places, catalogue: SessionCatalogue(), threads: FileThreads(most: 4))
                library.start()
                var found: [String] = []
                for name in ["one", "two"] {
                    do {
                        found.append(
                            try await library.skill(name, .init(at: "w") { .workspace(PathKey(root + "/w")) })
                                .object.name)
                    } catch { #expect(error as? Problem == .skillNotFound(name)) }
                }
                library.stop()
                #expect(found == names)
            }
        }
    }
}
