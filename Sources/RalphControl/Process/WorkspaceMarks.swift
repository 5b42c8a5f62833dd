import Foundation
import RalphSessions

/// How the environment of a process says for which session it works (contract 4.7).
struct WorkspaceMarks {
    private static let workspaceKey = "RALPH_WORKSPACE_ROOT="
    private static let eventsKey = "RALPH_EVENTS_FILE="

    private let directory: SessionDirectory
    private let mounts: String?
    /// Which paths lie on a network file system, as ``mounts`` says: two of a process at most.
    private var silent: [PathKey: Bool] = [:]

    /// - Parameter mounts: see ``FileSystemKind/mounts()``.
    init(_ directory: SessionDirectory, mounts: String? = FileSystemKind.mounts()) {
        self.directory = directory
        self.mounts = mounts
    }

    /// - Parameter environment: the content of a `/proc/PID/environ`.
    mutating func match(_ environment: [UInt8]) -> Bool {
        // Several sessions can share a workspace in the other layouts.
        if directory.layout == .ralph, let root = Self.value(of: Self.workspaceKey, in: environment) {
            if means(root, directory.workspace) { return true }
        }
        guard let parts = Self.value(of: Self.eventsKey, in: environment)?.pathParts else { return false }
        return means(parts.parent, directory.path)
    }

    private static func value(of key: String, in environment: [UInt8]) -> String? {
        environment.split(separator: 0).first { $0.starts(with: key.utf8) }
            .map { String(decoding: $0.dropFirst(key.utf8.count), as: UTF8.self) }
    }

    /// Whether `path`, as a process was given it, is `directory`, which is canonical.
    ///
    /// A path of another workspace on a network is not followed: that may not answer.
    private mutating func means(_ path: String, _ directory: String) -> Bool {
        if path.isPath(directory) { return true }
        guard !isSilent(path) || isSilent(directory) else { return false }
        return URL(fileURLWithPath: path).resolvingSymlinksInPath().path.isPath(directory)
    }

    /// By the name alone: the file system is not asked.
    private mutating func isSilent(_ path: String) -> Bool {
        if let known = silent[PathKey(path)] { return known }
        let type = mounts.flatMap { FileSystemKind.type(of: path, mounts: $0) }
        let found = type.map { FileSystemKind(type: $0).isSilent } ?? false
        silent[PathKey(path)] = found
        return found
    }
}
