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
            if Self.means(root, directory.workspace) { return true }
        }
        guard let events = Self.value(of: Self.eventsKey, in: environment) else { return false }
        return events.pathParts.map { Self.means($0.parent, directory.path) } ?? false
    }

    private static func value(of key: String, in environment: [UInt8]) -> String? {
        environment.split(separator: 0).first { $0.starts(with: key.utf8) }
            .map { String(decoding: $0.dropFirst(key.utf8.count), as: UTF8.self) }
    }

    /// Whether `path`, as a process was given it, is `directory`, which is canonical.
    private static func means(_ path: String, _ directory: String) -> Bool {
        path.isPath(directory)
            || URL(fileURLWithPath: path).resolvingSymlinksInPath().path.isPath(directory)
    }
}
