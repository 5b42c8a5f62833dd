import Foundation

/// The files of one workspace (contract 1.1), by absolute path.
struct Workspace {
    /// Absolute.
    let root: String

    private func file(_ name: String) -> String { root + "/.ralph/" + name }

    var directory: String { root + "/.ralph" }
    var pointer: String { file("current-events") }
    var loopID: String { file("current-loop-id") }
    var lock: String { file("loop.lock") }
    var registry: String { file("loops.json") }
    var mergeQueue: String { file("merge-queue.jsonl") }
    var history: String { file("history.jsonl") }
    var stopRequested: String { file("stop-requested") }
    var restartRequested: String { file("restart-requested") }
    var resumeRequested: String { file("resume-requested") }
    var suspendState: String { file("suspend-state.json") }
    var urgentSteer: String { file("urgent-steer.json") }
    var loopState: String { file("api/loop-state.json") }
    var robotQuestion: String { file("api/robot-question.json") }
    var robotResponse: String { file("api/robot-response.json") }
    var robotCheckin: String { file("api/robot-checkin.json") }
    var telegramState: String { file("telegram-state.json") }
    var agentDirectory: String { file("agent") }
    var tasks: String { file("agent/tasks.jsonl") }
    var memories: String { file("agent/memories.md") }
    var handoff: String { file("agent/handoff.md") }
    var summary: String { file("agent/summary.md") }
    var context: String { file("agent/context.md") }

    /// `path` as it is if it is absolute, else below the root.
    func resolve(_ path: String) -> String { path.hasPrefix("/") ? path : root + "/" + path }

    /// The events file that the pointer names, else `.ralph/events.jsonl`.
    var eventsFile: String {
        let pointed = TextFile.read(pointer)?.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
        return pointed.isEmpty ? file("events.jsonl") : resolve(pointed)
    }

    /// Where ralph thinks it is: `RALPH_WORKSPACE_ROOT`, else the nearest ancestor with `.ralph` or `.git`, else
    /// the current directory.
    static func nearest() -> Workspace {
        if let named = ProcessInfo.processInfo.environment["RALPH_WORKSPACE_ROOT"] {
            return Workspace(root: named)
        }
        var path = FileManager.default.currentDirectoryPath
        while path != "/" {
            if TextFile.exists(path + "/.ralph") || TextFile.exists(path + "/.git") {
                return Workspace(root: path)
            }
            path = (path as NSString).deletingLastPathComponent
        }
        return Workspace(root: FileManager.default.currentDirectoryPath)
    }

    static var current: Workspace { Workspace(root: FileManager.default.currentDirectoryPath) }
}
