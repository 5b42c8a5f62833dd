import Foundation
import RalphSessions

/// How the environment of a process says for which session it works (contract 4.7).
struct WorkspaceMarks {
    private static let workspaceKey = "RALPH_WORKSPACE_ROOT="
    private static let eventsKey = "RALPH_EVENTS_FILE="

    private let directory: SessionDirectory

    init(_ directory: SessionDirectory) { self.directory = directory }

    /// - Parameter environment: the content of a `/proc/PID/environ`.
    func match(_ environment: [UInt8]) -> Bool {
        // Several sessions can share a workspace in the other layouts.
        if directory.layout == .ralph, let root = Self.value(of: Self.workspaceKey, in: environment) {
            if root == directory.workspace || Self.resolved(root) == directory.workspace { return true }
        }
        guard let events = Self.value(of: Self.eventsKey, in: environment) else { return false }
        let folder = (events as NSString).deletingLastPathComponent
        return folder == directory.path || Self.resolved(folder) == directory.path
    }

    private static func value(of key: String, in environment: [UInt8]) -> String? {
        environment.split(separator: 0).first { $0.starts(with: key.utf8) }
            .map { String(decoding: $0.dropFirst(key.utf8.count), as: UTF8.self) }
    }

    private static func resolved(_ path: String) -> String {
        URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    }
}
