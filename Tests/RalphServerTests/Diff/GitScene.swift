import Foundation
import RalphControl
import RalphTestSupport

/// A workspace in which a test uses git by hand.
struct GitScene: Sendable {
    let directory: TemporaryDirectory
    /// The workspace below the directory.
    let name: String

    var path: String { directory.path + "/" + name }

    /// Makes an empty repository with a session in it, whose run began at 2026-01-02T00:00:00Z.
    init(_ name: String, in directory: TemporaryDirectory) async throws {
        self.name = name
        self.directory = directory
        try directory.write(
            name + "/.ralph/events.jsonl",
            #"{"ts":"2026-01-02T00:00:00Z","iteration":0,"hat":"loop","topic":"task.start","payload":"Go"}"#
                + "\n")
        try await run("git init -q -b main && echo .ralph/ > .git/info/exclude")
    }

    /// Runs a shell script in the workspace, as a person would whose clock says `date`.
    func run(_ script: String, at date: String = "2026-01-01T00:00:00Z") async throws {
        let run = CapturedRun(
            program: "/bin/sh", arguments: ["-ec", script], directory: path,
            environment: [
                "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin",
                "HOME": directory.path,
                "GIT_AUTHOR_NAME": "Test", "GIT_AUTHOR_EMAIL": "test@example.org",
                "GIT_COMMITTER_NAME": "Test", "GIT_COMMITTER_EMAIL": "test@example.org",
                "GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date, "GIT_CONFIG_NOSYSTEM": "1",
            ], maximumOutputBytes: 1 << 20)
        let outcome = try await run.run(until: .now + .seconds(30))
        guard outcome?.code == 0 else {
            throw ScriptFailure(description: "\(script): \(outcome?.lastError ?? "no answer")")
        }
    }
}

/// A script of a test did not do its work.
struct ScriptFailure: Error, CustomStringConvertible {
    let description: String
}

extension RunningServer {
    /// The diff of the session in the workspace.
    func diff(_ workspace: String, _ query: String = "") async throws -> [String: Any] {
        let id = try await waitForSession(workspace, events: 1)
        return try await get("/api/sessions/\(id)/diff\(query)").object()
    }
}

/// `status path` of the files in a diff, with what was counted.
func fileLines(_ diff: [String: Any]) -> [String] {
    (diff["files"] as? [[String: Any]] ?? []).map { file in
        let figures = ["additions", "deletions"].map { (file[$0] as? Int).map(String.init) ?? "-" }
        let old = (file["old_path"] as? String).map { " < \($0)" } ?? ""
        return "\(file["status"] ?? "") \(file["path"] ?? "")\(old) +\(figures[0]) -\(figures[1])"
            + (file["staged"] as? Bool == true ? " staged" : "")
    }
}
