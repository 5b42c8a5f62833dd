import Foundation
import RalphSessions
import RalphTestSupport
import Testing

@testable import RalphControl

struct WorkspaceMarksTests {
    @Test(arguments: [("ext4", true), ("nfs4", false)])
    func `a path on a network file system is not followed to a workspace elsewhere`(
        _ type: String, _ isFollowed: Bool
    ) async throws {
        try await withTemporaryDirectory { directory in
            try directory.write("w/.ralph/events.jsonl", "")
            let (workspace, link) = (directory.path + "/w", directory.path + "/link")
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: workspace)
            let mounts = """
                1 0 0:1 / / rw - ext4 /dev/a rw
                2 1 0:2 / \(link) rw - \(type) host:/ rw
                """
            var marks = WorkspaceMarks(SessionDirectory(workspace: workspace), mounts: mounts)
            let found = [
                "RALPH_WORKSPACE_ROOT=\(link)", "RALPH_EVENTS_FILE=\(link)/.ralph/events.jsonl",
                "RALPH_WORKSPACE_ROOT=\(workspace)",
            ].map { marks.match(Array($0.utf8)) }
            #expect(found == [isFollowed, isFollowed, true])
        }
    }
}
