import Foundation
import RalphTestSupport
import Testing

@testable import RalphSessions

struct SecretPointerTests {
    private static let row = #"{"ts":"2026-01-01T00:00:00Z","topic":"told","payload":"x"}"# + "\n"

    @Test(arguments: ["state/audit.jsonl", ".env", ".ralph/.hidden/e.jsonl", ".ralph/link.jsonl"])
    func `a pointer to a secret or to something hidden is not followed`(_ target: String) async throws {
        try await withTemporaryDirectory { directory in
            try directory.write("state/audit.jsonl", Self.row)
            try directory.write(".env", Self.row)
            try directory.write(".ralph/.hidden/e.jsonl", Self.row)
            try FileManager.default.createSymbolicLink(
                atPath: directory.path + "/.ralph/link.jsonl", withDestinationPath: "../state/audit.jsonl")
            try directory.write(".ralph/current-events", target)
            var limits = TailLimits()
            limits.secrets = [directory.path + "/state"]
            let scene = try SessionScene(directory, limits: limits)

            #expect(scene.read() == [])
            #expect(scene.problems.contains { $0.contains("current-events names a file that is not") })
            #expect(try ArchiveReader.newest(of: scene.session, numberedFrom: [:], limits: limits) == nil)
        }
    }

    @Test func `a pointer to a worktree's copy of a secret is not followed`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.write(".worktrees/x/state/audit.jsonl", Self.row)
            try directory.write(".worktrees/x/.ralph/current-events", "state/audit.jsonl")
            var limits = TailLimits()
            limits.secrets = [directory.path + "/state"]
            let scene = try SessionScene(directory, limits: limits, workspace: "/.worktrees/x")

            #expect(scene.read() == [])
            #expect(scene.problems.contains { $0.contains("current-events names a file that is not") })
        }
    }

    @Test func `an events file elsewhere in the workspace is read`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.write("state/events.jsonl", Self.row)
            try directory.write(".ralph/current-events", "state/events.jsonl")
            #expect(try SessionScene(directory).read() == ["told"])
        }
    }
}
