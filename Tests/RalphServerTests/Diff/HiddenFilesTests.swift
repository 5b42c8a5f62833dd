import RalphTestSupport
import Testing

@testable import RalphServer

/// Files of a workspace that no diff shows: what is the server's own, and what its user's git ignores.
@Suite(.timeLimit(.minutes(1)))
struct HiddenFilesTests {
    @Test func `keys and the state directory are not shown wherever they lie`() async throws {
        try await withTemporaryDirectory { directory in
            let scene = try await GitScene("w", in: directory)
            try await scene.run(
                """
                mkdir -m 700 's[1]*'; echo one > a; echo secret-0 > 's[1]*/committed'; echo secret-1 > key
                git add .; git commit -qm one
                echo two >> a; echo secret-2 >> 's[1]*/committed'; git mv key moved; git mv moved key
                echo secret-3-of-sixteen > key; echo visible > s1x; echo secret-4 > 's[1]*/new'
                """)
            try await withServer(in: directory) {
                $0.stateDirectory = scene.path + "/s[1]*"
                $0.apiKeyFile = scene.path + "/key"
            } _: { server in
                let diff = try await server.diff("w", "?patch=true")
                #expect(fileLines(diff) == ["modified a +1 -0", "untracked s1x +1 -0"])
                let patch = try #require(diff["patch"] as? String)
                #expect(patch.contains("+visible") && !patch.contains("secret"))
                for path in ["key", "s%5B1%5D*/new", "s%5B1%5D*"] {
                    let diff = try await server.diff("w", "?patch=true&path=\(path)")
                    #expect(fileLines(diff) == [] && diff["patch"] as? String == "", "\(path)")
                }
            }
        }
    }

    @Test func `a key that a link leads to by now is not shown, nor one that it led to before`() async throws
    {
        try await withTemporaryDirectory { directory in
            let scene = try await GitScene("w", in: directory)
            try await scene.run("echo 1 > a; echo secret-1 > key1; ln -s w/key1 ../key")
            try await withServer(in: directory) {
                $0.apiKeyFile = directory.path + "/key"
            } _: { server in
                #expect(fileLines(try await server.diff("w")) == ["untracked a +1 -0"])
                try await scene.run("echo secret-2 > key2; ln -sfn w/key2 ../key")

                let diff = try await server.diff("w", "?patch=true")
                #expect(fileLines(diff) == ["untracked a +1 -0"])
                #expect((diff["patch"] as? String)?.contains("secret") == false)

                try await scene.run("rm ../key")
                #expect(fileLines(try await server.diff("w")) == ["untracked a +1 -0"])
            }
        }
    }

    @Test(arguments: ["./sub/key", "sub//key", "sub/./key", "sub/../sub/key"])
    func `a key is not shown by another spelling of its path`(_ name: String) async throws {
        try await withTemporaryDirectory { directory in
            let scene = try await GitScene("w", in: directory)
            try await scene.run("mkdir sub; echo 1 > a; echo secret-of-sixteen-and-more > sub/key")
            try directory.write("w/.git/index", bytes: ForgedIndex.bytes([name]))
            try await withServer(in: directory) {
                $0.apiKeyFile = scene.path + "/sub/key"
            } _: { server in
                let id = try await server.waitForSession("w", events: 1)
                for query in ["", "&path=sub", "&path=sub/key"] {
                    let response = try await server.get("/api/sessions/\(id)/diff?patch=true\(query)")
                    #expect(response.status == 409)
                    #expect(!response.text.contains("secret"))
                }
            }
        }
    }

    @Test func `a key is not shown by a name that goes on behind its end`() async throws {
        try await withTemporaryDirectory { directory in
            let scene = try await GitScene("w", in: directory)
            try await scene.run("mkdir 's[1]*'; echo 1 > a; echo secret-of-sixteen-and-more > 's[1]*/key'")
            try directory.write("w/.git/index", bytes: ForgedIndex.bytes(["s[1]*/key\0more"]))
            try await withServer(in: directory) {
                $0.apiKeyFile = scene.path + "/s[1]*/key"
            } _: { server in
                let diff = try await server.diff("w", "?patch=true")
                #expect(fileLines(diff) == ["untracked a +1 -0"])
                #expect((diff["patch"] as? String)?.contains("secret") == false)
            }
        }
    }

    @Test(arguments: ["w/.worktrees/x", "linked"])
    func `a worktree's copies of keys and of the state directory are not shown`(_ worktree: String)
        async throws
    {
        try await withTemporaryDirectory { directory in
            let scene = try await GitScene("w", in: directory)
            try await scene.run(
                """
                mkdir -m 700 's[1]*'; echo one > a; echo secret-0 > 's[1]*/committed'; echo secret-1 > key
                git add .; git commit -qm one; git worktree add -q -b side '../\(worktree)'; cd '../\(worktree)'
                echo two >> a; echo secret-2 >> 's[1]*/committed'; echo secret-3 > 's[1]*/api-key'; rm key
                """)
            try Self.writeSession(worktree, in: directory)
            try await withServer(in: directory) {
                $0.stateDirectory = scene.path + "/s[1]*"
                $0.apiKeyFile = scene.path + "/key"
            } _: { server in
                let diff = try await server.diff(worktree, "?patch=true")
                #expect(fileLines(diff) == ["modified a +1 -0"])
                let patch = try #require(diff["patch"] as? String)
                #expect(patch.contains("+two") && !patch.contains("secret"))
                for path in ["key", "s%5B1%5D*", "s%5B1%5D*/api-key", "s%5B1%5D*/committed"] {
                    let diff = try await server.diff(worktree, "?patch=true&path=\(path)")
                    #expect(fileLines(diff) == [] && diff["patch"] as? String == "", "\(path)")
                }
            }
        }
    }

    /// Writes a session whose run began behind all commits.
    private static func writeSession(_ workspace: String, in directory: TemporaryDirectory) throws {
        try directory.write(workspace + "/.ralph/current-loop-id", "x")
        try directory.write(workspace + "/.ralph/current-events", ".ralph/events-20260105-000000.jsonl")
        try directory.write(
            workspace + "/.ralph/events-20260105-000000.jsonl",
            #"{"ts":"2026-01-05T00:00:00Z","topic":"a.b","payload":"x"}"# + "\n")
    }

    @Test func `a repository in the state directory is none, nor are its worktrees elsewhere`() async throws {
        try await withTemporaryDirectory { directory in
            let scene = try await GitScene("w", in: directory)
            try await scene.run(
                """
                chmod 700 .; echo one > a; git add a; git commit -qm one; git worktree add -q ../linked
                echo two > ../linked/a
                """)
            try Self.writeSession("linked", in: directory)
            try await withServer(in: directory) {
                $0.stateDirectory = scene.path
            } _: { server in
                for workspace in ["w", "linked"] {
                    let diff = try await server.diff(workspace)
                    #expect(diff["repository"] as? Bool == false)
                }
            }
        }
    }

    @Test(arguments: [
        "git config --global core.excludesFile '~/.config/git/ignore'", "true",
        "mkdir -p ../dot ../.config/git; ln -s ../../dot/ignore ../.config/git/ignore",
    ])
    func `what the user ignores everywhere is not shown`(setting: String) async throws {
        try await withTemporaryDirectory { directory in
            let scene = try await GitScene("w", in: directory)
            try await scene.run(
                """
                \(setting); mkdir -p ../.config/git; printf '.env\\nshown\\n' > ../.config/git/ignore
                echo '!shown' >> .git/info/exclude; echo secret > .env; echo 1 > shown; echo 2 > a
                """)
            try await withServer(in: directory) { server in
                let diff = try await server.diff("w", "?patch=true")
                #expect(fileLines(diff) == ["untracked a +1 -0", "untracked shown +1 -0"])
                #expect((diff["patch"] as? String)?.contains("secret") == false)
            }
        }
    }
}
