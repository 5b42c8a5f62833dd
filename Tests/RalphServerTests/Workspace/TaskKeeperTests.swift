import Foundation
import Logging
import RalphControl
import RalphSessions
import RalphTestSupport
import Testing

@testable import RalphServer

/// Looks that come when a task's time is over already, as on a machine that has no time itself.
@Suite(.timeLimit(.minutes(1)))
struct TaskKeeperTests {
    private struct Scene {
        let keeper: TaskKeeper
        let workspace: WorkspacePlace
        let task: WrittenTask

        func isThere() throws -> Bool { try TaskFile(workspace).read()?.range(of: task.record.id) != nil }
    }

    /// A task that is looked after and that was written over.
    private func withLostTask(_ body: (Scene) async throws -> Void) async throws {
        try await withTemporaryDirectory { place in
            try place.write(".ralph/agent/tasks.jsonl", "")
            let threads = FileThreads(most: 4)
            let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            let workspace = WorkspacePlace(path: place.path, roots: [place.path])
            let scene = Scene(
                keeper: TaskKeeper(threads: threads, logger: logger, youth: .zero), workspace: workspace,
                task: try #require(try TaskFile(workspace).add(TaskDraft(title: "mine"), now: 1)))
            scene.keeper.note(scene.task, in: workspace)
            try place.write(".ralph/agent/tasks.jsonl", "")
            try await body(scene)
        }
    }

    @Test func `a look that comes late finds what is lost`() async throws {
        try await withLostTask { scene in
            #expect(await scene.keeper.look())
            let isThere = try scene.isThere()
            #expect(isThere)
            #expect(await !scene.keeper.look())
            #expect(scene.keeper.unguarded == 0)
        }
    }

    @Test(arguments: [".ralph/agent/tasks.jsonl", ".ralph/agent", ".ralph"])
    func `what was deleted does not come back for a task`(_ path: String) async throws {
        try await withLostTask { scene in
            try FileManager.default.removeItem(atPath: scene.workspace.path + "/" + path)
            _ = await scene.keeper.look()
            #expect(EntryStatus.isAbsent(scene.workspace.path + "/" + path))
            let isThere = try scene.isThere()
            #expect(!isThere)
        }
    }

    @Test func `a task stays in its workspace where another one's name looks the same`() async throws {
        try await withTemporaryDirectory { place in
            let threads = FileThreads(most: 4)
            let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            let keeper = TaskKeeper(threads: threads, logger: logger, youth: .zero)
            let workspaces = ["caf\u{E9}", "cafe\u{301}"].map {
                WorkspacePlace(path: place.path + "/" + $0, roots: [place.path])
            }
            for workspace in workspaces {
                try FileManager.default.createDirectory(
                    atPath: workspace.path, withIntermediateDirectories: false)
                let task = try TaskFile(workspace).add(TaskDraft(title: "mine"), now: 1)
                keeper.note(try #require(task), in: workspace)
            }
            _ = await keeper.look()

            for workspace in workspaces {
                let page = try TaskFile(workspace).read()?.page(status: nil, offset: 0, limit: 10)
                #expect(page?.total == 1)
            }
        }
    }

    @Test func `a change of a task that was just added is put back with it`() async throws {
        try await withLostTask { scene in
            var change = TaskChange()
            (change.title, change.status) = ("changed", .closed)
            let id = scene.task.record.id
            let lost = try #require(scene.keeper.task(id, in: scene.workspace))
            let changed = try #require(
                try TaskFile(scene.workspace).update(id, change, now: 2, lost: lost))
            scene.keeper.noteChange(changed, in: scene.workspace)
            try Data().write(to: URL(fileURLWithPath: scene.workspace.path + "/.ralph/agent/tasks.jsonl"))

            #expect(await scene.keeper.look())

            let page = try TaskFile(scene.workspace).read()?.page(status: nil, offset: 0, limit: 10)
            let task = try #require(page?.tasks.first)
            #expect(task.title == "changed" && task.status == "closed")
            #expect(scene.keeper.task("task-1-aaaa", in: scene.workspace) == nil)
        }
    }

    @Test(arguments: [0, 1])
    func `a change of a young task that is written over with what was read before is put back`(
        _ line: Int
    ) async throws {
        try await withLostTask { scene in
            let path = scene.workspace.path + "/.ralph/agent/tasks.jsonl"
            let id = scene.task.record.id
            var lines = [scene.task.line]
            for title in ["first", "second"] {
                var change = TaskChange()
                change.title = title
                let lost = try #require(scene.keeper.task(id, in: scene.workspace))
                let changed = try #require(
                    try TaskFile(scene.workspace).update(id, change, now: 2, lost: lost))
                scene.keeper.noteChange(changed, in: scene.workspace)
                lines.append(changed.line)
            }
            let other = #"{"id":"task-1-aaaa","title":"of ralph"}"#
            try Data(lines[line] + [0x0A] + other.utf8).write(to: URL(fileURLWithPath: path))

            #expect(await scene.keeper.look())

            let text = try #require(FileManager.default.contents(atPath: path))
            #expect(Array(text) == lines[2] + [0x0A] + Array(other.utf8))
            _ = await scene.keeper.look()
            // Another change is not ours to undo.
            try Data(lines[0].dropLast() + #","odd":1}"#.utf8).write(to: URL(fileURLWithPath: path))
            _ = await scene.keeper.look()
            #expect(FileManager.default.contents(atPath: path)?.starts(with: lines[0].dropLast()) == true)
        }
    }

    @Test func `a lock that is held is waited for beyond that time`() async throws {
        try await withLostTask { scene in
            let lock = open(scene.workspace.path + "/.ralph/agent/tasks.jsonl.lock", O_RDWR | O_CLOEXEC)
            defer { close(lock) }
            #expect(flock(lock, LOCK_EX) == 0)
            #expect(await scene.keeper.look())
            #expect(await scene.keeper.look())
            #expect(flock(lock, LOCK_UN) == 0)
            #expect(await scene.keeper.look())
            let isThere = try scene.isThere()
            #expect(isThere)
        }
    }
}
