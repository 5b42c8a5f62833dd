import Foundation
import RalphTestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct UnusualRepositoryTests {
    /// What makes a repository of one commit, whose file `a` says `1`, unusual.
    private static let scripts = [
        """
        rm -rf .git; git init -q -b main --object-format=sha256; echo .ralph/ > .git/info/exclude
        git add a; git commit -qm one
        """,
        "git update-index --split-index; git update-index --force-remove a; git add a",
        // Of several shared indexes, and of several that say `link`, one counts.
        """
        for n in 1 2 3 4 5 6 7 8 9; do
            echo $n > link; git add link; git commit -qm $n; git update-index --no-split-index --split-index
        done
        """,
        "git pack-refs --all; git gc -q", "git config core.autocrlf input; git config core.fileMode false",
        """
        git commit -q --allow-empty -m two; git clone -q --depth 1 file://$PWD ../s
        rm -rf .git; mv ../s/.git .git; echo .ralph/ > .git/info/exclude
        """,
        "chown -R 12345 . || true",  // somebody else's, where the tests may do that
        "mv .git ../elsewhere; echo gitdir: ../elsewhere > .git",
        "git config extensions.worktreeConfig true; git config --worktree core.sparseCheckout false",
        """
        mkdir 'in "quotes"'; mv .git 'in "quotes"/git'; ln -s 'in "quotes"/git' .git
        echo '*quotes*' >> .git/info/exclude
        """,
    ]

    @Test(arguments: scripts)
    func `a repository is read however it is kept`(_ script: String) async throws {
        try await withTemporaryDirectory { directory in
            let scene = try await GitScene("w", in: directory)
            try await scene.run("echo 1 > a; git add a; git commit -qm one; \(script)")
            // The same size in the same second: only the index's time tells that it must be looked at.
            try await scene.run("echo 2 > a; echo new > b")
            try await withServer(in: directory) { server in
                let diff = try await server.diff("w", "?patch=true")
                #expect(fileLines(diff) == ["modified a +1 -1", "untracked b +1 -0"])
                #expect((diff["patch"] as? String)?.contains("-1\n+2\n") == true)
            }
        }
    }

    @Test(arguments: ["sha1", "sha256"])
    func `a repository without a commit has everything to add`(_ format: String) async throws {
        try await withTemporaryDirectory { directory in
            let scene = try await GitScene("w", in: directory)
            try await scene.run(
                "rm -rf .git; git init -q --object-format=\(format); echo .ralph/ > .git/info/exclude")
            try await scene.run("echo 1 > a; echo 2 > b; git add a")
            try await withServer(in: directory) { server in
                let diff = try await server.diff("w", "?patch=true")
                #expect(fileLines(diff) == ["added a +1 -0 staged", "untracked b +1 -0"])
                #expect(diff["base_kind"] as? String == "empty" && diff["head"] is String == false)
            }
        }
    }

    @Test func `what links lead to is not shown`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.write("outside/secret", "hidden\n")
            let scene = try await GitScene("w", in: directory)
            try await scene.run("mkdir d; echo 1 > d/secret; git add d; git commit -qm one; rm -r d")
            try await scene.run("ln -s ../outside d; ln -s ../outside/secret link")
            try await withServer(in: directory) { server in
                let diff = try await server.diff("w", "?patch=true")
                #expect((diff["patch"] as? String)?.contains("+../outside/secret") == true)
                #expect((diff["patch"] as? String)?.contains("hidden") == false)
                let id = try await server.waitForSession("w", events: 1)
                for path in ["d/secret", "d", "link", "link/"] {
                    let one = try await server.get("/api/sessions/\(id)/diff?patch=1&path=\(path)")
                    #expect(!one.text.contains("hidden"))
                    #expect([200, 409].contains(one.status))
                }
            }
        }
    }

    @Test func `a workspace that was deleted has no diff`() async throws {
        try await withServer { server in
            let id = try await server.session("w", lines: 1)
            try server.root.remove("w")
            let diff = try await server.get("/api/sessions/\(id)/diff").object()
            #expect(diff["repository"] as? Bool == false)
            #expect(try await server.get("/api/sessions/\(id)/export").status == 200)
            #expect(try await server.get("/api/sessions/\(id)/summary").status == 200)
        }
    }
}
