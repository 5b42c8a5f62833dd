import Foundation
import RalphTestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct DiffRoutesTests {
    private func withScene(
        _ script: String, _ body: @Sendable @escaping (RunningServer, GitScene) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            let scene = try await GitScene("w", in: directory)
            try await scene.run(script)
            try await withServer(in: directory) { server in try await body(server, scene) }
        }
    }

    @Test func `a workspace without a repository has no diff`() async throws {
        try await withServer { server in
            _ = try await server.session("w", lines: 1)
            let diff = try await server.diff("w", "?patch=true")
            #expect(diff["repository"] as? Bool == false)
            #expect((diff["files"] as? [Any])?.isEmpty == true)
            for name in ["branch", "head", "base", "base_kind"] { #expect(diff[name] is NSNull) }
            #expect(diff["patch"] == nil)
        }
    }

    @Test func `the base is the last commit before the run`() async throws {
        try await withScene(
            "echo 1 > a; git add a; git commit -qm one; cp a b; git add b; git commit -qm two"
        ) {
            server, scene in
            try await scene.run("echo 2 >> a; git commit -qam run", at: "2026-01-03T00:00:00Z")
            try await scene.run("echo 3 >> a; git mv b c; printf 'x\\ny\\n' > new; mkdir d; : > d/empty")
            let diff = try await server.diff("w")

            #expect(
                fileLines(diff) == [
                    "modified a +2 -0", "renamed c < b +0 -0 staged", "untracked d/empty +0 -0",
                    "untracked new +2 -0",
                ])
            #expect(diff["base_kind"] as? String == "run_start")
            #expect(diff["branch"] as? String == "main")
            #expect(diff["base"] as? String != diff["head"] as? String)
            #expect(diff["truncated"] as? Bool == false)
        }
    }

    @Test func `what the run made and took back is no change`() async throws {
        try await withScene("echo 1 > keep; echo x > gone; git add .; git commit -qm one") { server, scene in
            try await scene.run(
                "for f in kept tmp tmp2; do echo 1 > $f; done; git add .; git commit -qm run",
                at: "2026-01-03T00:00:00Z")
            try await scene.run(
                "rm tmp gone; git rm -q tmp2; echo 2 >> keep; git add keep; echo 1 > keep; echo 1 > new")
            let diff = try await server.diff("w", "?patch=true")

            #expect(fileLines(diff) == ["deleted gone +0 -1", "added kept +1 -0", "untracked new +1 -0"])
            let patch = try #require(diff["patch"] as? String)
            #expect(patch.contains("b/kept") && !patch.contains("tmp") && !patch.contains("keep"))
        }
    }

    @Test func `a repository that the run began is all new`() async throws {
        try await withScene(": ") { server, scene in
            #expect(try await server.diff("w")["base_kind"] as? String == "empty")
            try await scene.run("echo 1 > a; git add a; git commit -qm one", at: "2026-01-03T00:00:00Z")
            let diff = try await server.diff("w")
            #expect(fileLines(diff) == ["added a +1 -0"])
            #expect(diff["base"] is NSNull)
        }
    }

    @Test func `without a known start the head is the base`() async throws {
        try await withScene("echo 1 > a; git add a; git commit -qm one; git checkout -q --detach; rm a") {
            server, scene in
            _ = try await server.session("w/sub", lines: 1)
            try scene.directory.write("w/sub/n", "text\n")
            let diff = try await server.diff("w/sub")
            // Only what lies below the workspace is shown.
            #expect(diff["repository"] as? Bool == true)
            #expect(diff["base_kind"] as? String == "head")
            #expect(diff["branch"] is NSNull)
            #expect(fileLines(diff) == ["untracked n +1 -0"])
        }
    }

    @Test func `a worktree is compared with where it left the main branch`() async throws {
        try await withScene(
            "echo 1 > a; git add a; git commit -qm one; git worktree add -q -b side .worktrees/x"
        ) {
            server, scene in
            try await scene.run(
                "echo main >> a; git commit -qam main; cd .worktrees/x; echo y > b; git add b")
            try scene.directory.write("w/.worktrees/x/.ralph/current-loop-id", "x")
            try scene.directory.write(
                "w/.worktrees/x/.ralph/current-events", ".ralph/events-20260105-000000.jsonl")
            try scene.directory.write(
                "w/.worktrees/x/.ralph/events-20260105-000000.jsonl",
                #"{"ts":"2026-01-05T00:00:00Z","topic":"a.b","payload":"x"}"# + "\n")
            let diff = try await server.diff("w/.worktrees/x")

            #expect(diff["base_kind"] as? String == "merge_base")
            #expect(diff["branch"] as? String == "side")
            #expect(fileLines(diff) == ["added b +1 -0 staged"])
        }
    }

    @Test func `a patch shows new files too, and one path alone`() async throws {
        try await withScene(
            "echo 1 > a; git add a; git commit -qm one; echo 2 > a; mkdir d; echo 'new text' > d/n"
        ) {
            server, _ in
            let patch = try await server.diff("w", "?patch=true")["patch"] as? String ?? ""
            #expect(patch.contains("-1\n+2\n"))
            #expect(patch.contains("+new text\n"))
            let one = try await server.diff("w", "?patch=1&path=d/n")
            #expect(fileLines(one) == ["untracked d/n +1 -0"])
            #expect((one["patch"] as? String)?.contains("diff --git a/a") == false)
            #expect(one["patch_truncated"] as? Bool == false)
            #expect(try await fileLines(server.diff("w", "?path=nothing")) == [])
        }
    }

    @Test func `a patch without all new files says so`() async throws {
        let script = """
            echo 1 > a; git add a; git commit -qm one
            i=100; while [ $i -lt 601 ]; do echo new > f$i; i=$((i+1)); done
            """
        try await withScene(script) { server, scene in
            let diff = try await server.diff("w", "?patch=true")
            #expect((diff["files"] as? [Any])?.count == 501)
            #expect(diff["truncated"] as? Bool == false)
            #expect(diff["patch_truncated"] as? Bool == true)
            let one = try await server.diff("w", "?patch=true&path=f600")
            #expect((one["patch"] as? String)?.contains("+new\n") == true)
            #expect(one["patch_truncated"] as? Bool == false)
            try await scene.run("rm f100")
            #expect(try await server.diff("w", "?patch=true")["patch_truncated"] as? Bool == false)
        }
    }

    @Test func `long lists and patches are cut and say so`() async throws {
        let script = """
            echo 1 > a; git add a; git commit -qm one
            i=0; while [ $i -lt 2100 ]; do : > f$i; i=$((i+1)); done
            yes 0123456789 | head -n 36000 > b1; cp b1 b2
            """
        try await withScene(script) { server, _ in
            let diff = try await server.diff("w", "?patch=true")
            let patch = diff["patch"] as? String ?? ""
            #expect((diff["files"] as? [Any])?.count == 2000)
            #expect(diff["truncated"] as? Bool == true)
            #expect(diff["patch_truncated"] as? Bool == true)
            #expect(patch.hasSuffix("+0123456789\n") && patch.utf8.count <= 512 << 10)
            #expect(!patch.contains("b2"))
        }
    }

    @Test(arguments: [
        "?path=", "?path=/etc/passwd", "?path=..", "?path=../x", "?path=a/../../b", "?path=a%2f..%2f..%2fb",
        "?path=%00", "?path=a%00b", "?path=.git/config", "?patch=maybe",
        "?path=\(String(repeating: "x", count: 5000))",
    ])
    func `a path out of the workspace is refused`(_ query: String) async throws {
        try await withServer { server in
            let id = try await server.session("w", lines: 1)
            #expect(try await server.get("/api/sessions/\(id)/diff\(query)").status == 400)
        }
    }

    @Test func `a state directory that cannot be written is no fault of the repository`() async throws {
        try await withScene("echo 1 > a; git add a; git commit -qm one") { server, scene in
            let id = try await server.waitForSession("w", events: 1)
            try await scene.run("rm -rf ../.state/diffs; echo > ../.state/diffs")
            let response = try await server.get("/api/sessions/\(id)/diff")
            #expect(response.status == 503)
            #expect(response.text.contains("store_unavailable"))
        }
    }

    @Test func `what is no repository to git is a conflict, not a crash`() async throws {
        try await withScene("echo 1 > a; git add a; git commit -qm one; echo junk > .git/index") {
            server, scene in
            let id = try await server.waitForSession("w", events: 1)
            let response = try await server.get("/api/sessions/\(id)/diff")
            #expect(response.status == 409)
            #expect(response.text.contains("repository_unreadable: "))
            try await scene.run("rm .git/index; mkfifo .git/index")
            #expect(try await server.get("/api/sessions/\(id)/diff").status == 409)
            try await scene.run("rm .git/index; mv .git/config saved; mkfifo .git/config")
            #expect(try await server.get("/api/sessions/\(id)/diff").status == 409)
            #expect(try await server.get("/api/sessions/ffffffffffffffff/diff").status == 404)
        }
    }
}
