import Foundation
import RalphSessions
import RalphTestSupport
import Testing

@testable import RalphControl

/// Trouble with one repository, which is not told as trouble of the server's.
@Suite(.timeLimit(.minutes(1)))
struct GitTroubleTests {
    @Test func `a workspace that went away meanwhile is trouble of its own`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.write("project/.git/HEAD", "ref: refs/heads/main\n")
            try directory.write("project/sub/x", "")
            let place = try #require(
                try GitPlace(workspace: directory.path + "/project/sub", roots: [directory.path]))
            let settings = ControlSettings(
                ralph: nil, runs: directory.path + "/runs",
                environment: ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"])
            let git = try GitReader(settings, hiding: [], until: .now + .seconds(20))
            try directory.remove("project/sub")

            await #expect(throws: GitError.failed("the workspace cannot be entered")) {
                try await git.head(of: place)
            }
        }
    }

    /// Eight trees of a few hundred bytes, each ten times in the next one.
    private static let bomb = """
        git init -q; name=$(echo x | git hash-object -w --stdin); kind='100644 blob'
        for level in 1 2 3 4 5 6 7 8; do
            name=$(for n in 0 1 2 3 4 5 6 7 8 9; do printf '%s %s\\tf%s\\n' "$kind" $name $n; done | git mktree)
            kind='040000 tree'
        done
        git update-ref HEAD $(git commit-tree -m bomb $name)
        """

    @Test func `a small repository that stands for any number of files takes no memory without end`()
        async throws
    {
        try await withTemporaryDirectory { directory in
            try directory.write("project/.keep", "")
            let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
            let script = CapturedRun(
                program: "/bin/sh", arguments: ["-ec", Self.bomb], directory: directory.path + "/project",
                environment: [
                    "PATH": path, "HOME": directory.path, "GIT_CONFIG_NOSYSTEM": "1",
                    "GIT_AUTHOR_NAME": "Test", "GIT_AUTHOR_EMAIL": "test@example.org",
                    "GIT_COMMITTER_NAME": "Test", "GIT_COMMITTER_EMAIL": "test@example.org",
                ], maximumOutputBytes: 1000)
            let outcome = try await script.run(until: .now + .seconds(20))
            try #require(outcome?.code == 0)
            let place = try #require(
                try GitPlace(workspace: directory.path + "/project", roots: [directory.path]))
            let settings = ControlSettings(
                ralph: nil, runs: directory.path + "/runs", environment: ["PATH": path])
            var reader = try GitReader(settings, hiding: [], until: .now + .seconds(30))
            reader.maximumDataBytes = 64 << 20
            let git = reader
            let head = try await git.head(of: place)
            let shelter = try GitShelter(
                at: directory.path + "/shelter", of: place, head: head, ignoreFile: nil)

            let refusal = GitError.failed("git needed more than its 64 MiB of memory")
            await #expect(throws: refusal) { try await git.status(".", in: shelter) }
        }
    }

    @Test(arguments: [
        ("fatal: Out of memory, malloc failed (tried to allocate 9 bytes)", "git needed more than its"),
        ("fatal: inflate: out of memory", "git needed more than its"),
        (
            "fatal: unable to create threaded lstat: Resource temporarily unavailable",
            "git could start no thread"
        ),
        ("fatal: unable to create '/w/thread': No space left on device", "git ended with status 128;"),
        ("error: Out of memory", "git ended with status 128;"),
    ])
    func `want of memory is told as such`(_ line: String, _ beginning: String) {
        let outcome = CapturedRun.Outcome(code: 128, output: [], isCut: false, lastError: line)

        guard case .failed(let sentence) = GitError.refused(outcome, of: 512 << 20) else {
            Issue.record("it is something else")
            return
        }
        #expect(sentence.hasPrefix(beginning))
        #expect(sentence.contains("512 MiB") == !beginning.contains("status"))
    }

    @Test func `a git directory that cannot be listed is trouble of its own`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.write("project/.git/HEAD", "ref: refs/heads/main\n")
            try directory.write("project/.git/index", "DIRC")
            let place = try #require(
                try GitPlace(workspace: directory.path + "/project", roots: [directory.path]))
            try directory.write("shelters/none", "")
            try #require(chmod(directory.path + "/shelters", 0o777) == 0)
            try #require(chmod(place.directory, 0o711) == 0)

            withoutRights {
                #expect(throws: GitError.failed("the git directory cannot be listed")) {
                    try GitShelter(
                        at: directory.path + "/shelters/one", of: place, head: GitHead(), ignoreFile: nil)
                }
            }
        }
    }
}
