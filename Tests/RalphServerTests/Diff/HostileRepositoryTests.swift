import Foundation
import RalphTestSupport
import Testing

/// Repositories whose owners want git to run something for them. Each trap makes a file `trapped-…` beside
/// the workspace.
@Suite(.timeLimit(.minutes(1)))
struct HostileRepositoryTests {
    private static let start = """
        printf '#!/bin/sh\\necho "$*" >> "%s/trapped-$(basename "$0")"\\ncat\\nexit 0\\n' "$HOME" > ../trap
        chmod 755 ../trap
        for n in monitor external driver textconv clean process pager hook ssh alias; do
          cp ../trap ../$n
        done
        echo one > a; echo two > b; git add a b; git commit -qm one
        """
    private static let traps = """
        git config core.fsmonitor "$HOME/monitor"; git config core.fsmonitorHookVersion 1
        git config diff.external "$HOME/external"
        git config diff.evil.command "$HOME/driver"; git config diff.evil.textconv "$HOME/textconv"
        git config filter.evil.clean "$HOME/clean"; git config filter.evil.process "$HOME/process"
        git config filter.evil.required true
        for n in core.pager pager.status pager.diff; do git config $n "$HOME/pager"; done
        git config alias.status "!$HOME/alias"; git config core.sshCommand "$HOME/ssh"
        git config core.hooksPath "$HOME/hooks"; git config core.worktree "$HOME"
        mkdir -p ../hooks
        for n in post-index-change fsmonitor-watchman reference-transaction post-checkout; do
          cp ../hook ../hooks/$n
        done
        echo '* diff=evil filter=evil' > .gitattributes; cp .gitattributes .git/info/attributes
        echo three >> a; touch b
        """

    @Test func `nothing that the configuration names is run`() async throws {
        try await withTemporaryDirectory { directory in
            let scene = try await GitScene("w", in: directory)
            try await scene.run(Self.start)
            try await scene.run(Self.traps)
            try await scene.run("cp .git/config ../.gitconfig")  // of the server's user as well
            try await withServer(in: directory) { server in
                let diff = try await server.diff("w", "?patch=true")
                #expect(fileLines(diff) == ["untracked .gitattributes +1 -0", "modified a +1 -0"])
                #expect((diff["patch"] as? String)?.contains("+three\n") == true)
            }
            #expect(try directory.names(in: "").filter { $0.hasPrefix("trapped") } == [])
            // The traps are sharp: a person's git falls into them.
            try await scene.run(
                "rm ../.gitconfig; git config --unset core.worktree; git status || true; git diff || true")
            #expect(try directory.names(in: "").contains { $0.hasPrefix("trapped") })
        }
    }

    @Test(arguments: ["", "sub/"])
    func `what git says of a file that is linked is shown to nobody`(_ place: String) async throws {
        try await withTemporaryDirectory { directory in
            let scene = try await GitScene("w", in: directory)
            try await scene.run(Self.start)
            try directory.write("secret", "0123456789abcdef0123456789abcdef")
            try await scene.run("git init -q sub; ln -s \"$HOME/secret\" \(place).git/packed-refs")
            try await withServer(in: directory) { server in
                let id = try await server.waitForSession("w", events: 1)
                let response = try await server.get("/api/sessions/\(id)/diff?patch=true")
                #expect(!response.text.contains("0123456789abcdef"))
                #expect(
                    response.status == 200
                        || response.text.contains("repository_unreadable: git ended with status 128"))
            }
        }
    }

    @Test func `an object that is missing is not fetched`() async throws {
        try await withTemporaryDirectory { directory in
            let scene = try await GitScene("w", in: directory)
            try await scene.run(Self.start)
            try await scene.run(
                """
                git config extensions.partialClone origin; git config core.repositoryFormatVersion 1
                git config remote.origin.promisor true; git config protocol.ext.allow always
                git config remote.origin.url "ext::$HOME/ssh %S"
                git config remote.origin.uploadpack "$HOME/ssh"
                name=$(git rev-parse HEAD:a); echo changed > a
                rm -f .git/objects/$(echo $name | cut -c1-2)/$(echo $name | cut -c3-)
                """)
            try await withServer(in: directory) { server in
                let diff = try await server.diff("w", "?patch=true")
                #expect((diff["error"] as? String)?.hasPrefix("repository_unreadable: ") == true)
            }
            #expect(try directory.names(in: "").filter { $0.hasPrefix("trapped") } == [])
        }
    }

    @Test func `a submodule's configuration is not obeyed`() async throws {
        try await withTemporaryDirectory { directory in
            let scene = try await GitScene("w", in: directory)
            try await scene.run(Self.start)
            try await scene.run(
                """
                git clone -q . ../other; git -c protocol.file.allow=always submodule add -q "$HOME/other" sub
                git commit -qm sub; git -C sub config core.fsmonitor "$HOME/monitor"; echo x >> sub/a
                rm -f ../trapped*
                """)
            try await withServer(in: directory) { server in
                let diff = try await server.diff("w", "?patch=true")
                #expect(diff["repository"] as? Bool == true)
                #expect(fileLines(diff) == [])
            }
            #expect(try directory.names(in: "").filter { $0.hasPrefix("trapped") } == [])
        }
    }

    @Test(arguments: [
        "../out/key", "sub/../../out/key", "ROOT/out/key", "sub//../../out/key", ".git/key", "sub/.git/key",
    ])
    func `an index that names files outside of the worktree shows none of them`(_ name: String) async throws {
        try await withTemporaryDirectory { directory in
            let scene = try await GitScene("w", in: directory)
            try await scene.run("echo 1 > a; git add a; git commit -qm one; git init -q sub; mkdir ../out")
            try await scene.run("echo behind > ../out/key; cp ../out/key .git; cp ../out/key sub/.git")
            let forged = name.replacingOccurrences(of: "ROOT", with: directory.path)
            try directory.write("w/.git/index", bytes: ForgedIndex.bytes(["a", forged]))
            try await withServer(in: directory) { server in
                let diff = try await server.diff("w", "?patch=true")
                #expect(
                    diff["error"] as? String
                        == "repository_unreadable: the index names files outside of the worktree")
                #expect(!"\(diff)".contains("behind"))
            }
        }
    }

    @Test func `names that only look as if they led out are shown`() async throws {
        try await withTemporaryDirectory { directory in
            let scene = try await GitScene("w", in: directory)
            try await scene.run(
                """
                mkdir .github b.. ... .git-x; echo 1 > .github/a; echo 1 > b../a; echo 1 > .../a; echo 1 > .git-x/a
                echo 1 > .gitignore; echo 1 > ..c; echo 1 > c..; echo 1 > '[.]'; git add .
                """)
            try await withServer(in: directory) { server in
                let files = try await server.diff("w", "?patch=true")["files"] as? [[String: Any]] ?? []
                #expect(
                    Set(files.compactMap { $0["path"] as? String }) == [
                        ".github/a", "b../a", ".../a", ".git-x/a", ".gitignore", "..c", "c..", "[.]",
                    ])
            }
        }
    }

    @Test func `names of any bytes are told apart`() async throws {
        try await withTemporaryDirectory { directory in
            let scene = try await GitScene("w", in: directory)
            try await scene.run(
                """
                : > "$(printf 'line\\nbreak')"; : > "$(printf 'tab\\there')"; : > '"quoted" \\ back'; : > ' '
                : > "$(printf 'bad\\377name')"; : > '--output=x'; : > ':(top)y'; : > 'ünï'
                """)
            try await withServer(in: directory) { server in
                let files = try await server.diff("w")["files"] as? [[String: Any]] ?? []
                #expect(
                    Set(files.compactMap { $0["path"] as? String }) == [
                        "line\nbreak", "tab\there", "\"quoted\" \\ back", " ", "bad\u{FFFD}name",
                        "--output=x",
                        ":(top)y", "ünï",
                    ])
                for path in ["--output=x", ":(top)y", "%C3%BCn%C3%AF", "line%0Abreak"] {
                    let one = try await server.diff("w", "?patch=1&path=\(path)")
                    #expect(fileLines(one).count == 1, "\(path)")
                }
            }
        }
    }

    @Test func `the repository is never written`() async throws {
        try await withTemporaryDirectory { directory in
            let scene = try await GitScene("w", in: directory)
            try await scene.run("echo 1 > a; git add a; git commit -qm one; touch a; echo 2 > b")
            let files = "find .git -type f -exec ls -l --time-style=full-iso {} + | sort"
            try await scene.run("\(files) > ../before")
            try await withServer(in: directory) { server in
                let diff = try await server.diff("w", "?patch=1")
                #expect(fileLines(diff) == ["untracked b +1 -0"])
            }
            try await scene.run("\(files) > ../after; cmp ../before ../after")
        }
    }
}
