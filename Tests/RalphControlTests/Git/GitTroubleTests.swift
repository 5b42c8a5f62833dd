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
