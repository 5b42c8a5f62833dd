import Foundation
import RalphTestSupport

@testable import RalphControl

/// A workspace `main` in a temporary directory, and `outside` beside it.
struct WorkspaceScene {
    let root: TemporaryDirectory

    init(_ root: TemporaryDirectory) throws {
        self.root = root
        try root.write("main/.ralph/current-loop-id", "primary-1\n")
        try root.write("outside/file", "secret")
    }

    var place: WorkspacePlace { WorkspacePlace(path: root.path + "/main", roots: [root.path + "/main"]) }
    var tasks: TaskFile { TaskFile(place) }
    var memories: MemoryFile { MemoryFile(place) }
    var config: ConfigFile { ConfigFile(place) }

    static let tasksName = "main/.ralph/agent/tasks.jsonl"
    static let memoriesName = "main/.ralph/agent/memories.md"

    func text(_ name: String) -> String? {
        FileManager.default.contents(atPath: root.path + "/" + name).map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    /// Makes the link `name` that leads to `target`, with the directories above it.
    func link(_ name: String, to target: String) throws {
        let path = root.path + "/" + name
        try FileManager.default.createDirectory(
            atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
    }

    func isLink(_ name: String) -> Bool {
        // What is no link has no destination.
        (try? FileManager.default.destinationOfSymbolicLink(atPath: root.path + "/" + name)) != nil
    }

    /// Holds a lock as another program does; closing the descriptor ends it.
    func lock(_ name: String, _ operation: Int32 = LOCK_EX) throws -> Int32 {
        if text(name) == nil { try root.write(name, "") }
        let descriptor = open(root.path + "/" + name, O_RDWR | O_CLOEXEC)
        guard flock(descriptor, operation | LOCK_NB) == 0 else { throw POSIXError(.EAGAIN) }
        return descriptor
    }
}

/// Runs `body` with a scene.
func withWorkspace(_ body: (WorkspaceScene) async throws -> Void) async throws {
    try await withTemporaryDirectory { try await body(WorkspaceScene($0)) }
}
