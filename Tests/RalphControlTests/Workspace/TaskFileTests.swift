import Foundation
import RalphSessions
import RalphTestSupport
import RalphWire
import Testing

@testable import RalphControl

@Suite(.timeLimit(.minutes(1)))
struct TaskFileTests {
    private static let now: Int64 = 1_750_628_400_123
    private static let later = now + 60_000
    private static let old =
        #"{"id":"task-1-aaaa","title":"Old","key":"k","status":"open","priority":3,"blocked_by":[],"created":"2026-01-01T00:00:00+00:00","odd":[1.0]}"#

    private func change(_ status: TaskStatus) -> TaskChange {
        var change = TaskChange()
        change.status = status
        return change
    }

    @Test func `a task is a line as Ralph writes it`() async throws {
        try await withWorkspace { scene in
            let draft = TaskDraft(title: "Add \"x\"", description: "d", priority: 2, blockedBy: ["b"])
            let task = try #require(try scene.tasks.add(draft, now: Self.now)).record

            #expect(task.id.wholeMatch(of: #/task-1750628340-[0-9a-f]{4}/#) != nil)
            #expect(
                scene.text(WorkspaceScene.tasksName)
                    == #"{"id":"\#(task.id)","title":"Add \"x\"","description":"d","status":"open","priority":2,"blocked_by":["b"],"loop_id":"primary-1","created":"2025-06-22T21:40:00.123+00:00"}"#
                    + "\n")
            #expect(task.loopID == "primary-1")
            #expect(task.created == Self.now)
        }
    }

    @Test func `ids of one second differ`() async throws {
        try await withWorkspace { scene in
            var ids: Set<String> = []
            for number in 0..<300 {
                let task = try scene.tasks.add(TaskDraft(title: "\(number)"), now: Self.now)
                ids.insert(task?.record.id ?? "")
            }
            #expect(ids.count == 300)
            #expect(try scene.tasks.read()?.page(status: nil, offset: 0, limit: 999).total == 300)
        }
    }

    @Test func `the id of a task that is to be put back is no new task's`() async throws {
        try await withWorkspace { scene in
            var asked: [String] = []
            let task = try scene.tasks.add(TaskDraft(title: "new"), now: Self.now) { id in
                asked.append(id)
                return asked.count < 3
            }
            #expect(asked.count == 3 && task?.record.id == asked.last)
        }
    }

    @Test func `what is no task, and what nobody knows, stays as it is`() async throws {
        try await withWorkspace { scene in
            let torn = "{\"half\n\n" + Self.old + "\r\n\u{FFFD}\n{\"id\":\"task-2"
            try scene.root.write(WorkspaceScene.tasksName, torn)

            let added = try #require(try scene.tasks.add(TaskDraft(title: "new"), now: Self.now))
            _ = try scene.tasks.update("task-1-aaaa", change(.closed), now: Self.later)

            let text = try #require(scene.text(WorkspaceScene.tasksName))
            let changed = Self.old.replacing("\"open\"", with: "\"closed\"").dropLast()
            let time = "2025-06-22T21:41:00.123+00:00"
            #expect(
                text == "{\"half\n\n\(changed),\"closed\":\"\(time)\",\"updated\":\"\(time)\"}"
                    + "\n\u{FFFD}\n{\"id\":\"task-2\n" + String(decoding: added.line, as: UTF8.self) + "\n")
        }
    }

    @Test func `a status sets the times that Ralph sets`() async throws {
        try await withWorkspace { scene in
            try scene.root.write(WorkspaceScene.tasksName, Self.old + "\n")
            func object() throws -> [String: Any] {
                let text = scene.text(WorkspaceScene.tasksName) ?? ""
                return try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] ?? [:]
            }
            for (status, has) in [
                (TaskStatus.inProgress, ["started"]), (.closed, ["started", "closed"]),
                (.open, ["started"]), (.failed, ["started", "closed"]), (.inProgress, ["started"]),
            ] {
                let task = try scene.tasks.update("task-1-aaaa", change(status), now: Self.now)?.record
                #expect(task?.status == status.rawValue)
                #expect(Set(try object().keys).intersection(["started", "closed"]) == Set(has))
                #expect(task?.updated == 1_767_225_600_000)  // it was created after that "now"
            }
            let reopened = try scene.tasks.update(
                "task-1-aaaa", change(.open), now: 1_800_000_000_000)?.record
            #expect(reopened?.updated == 1_800_000_000_000)
        }
    }

    @Test func `the other members change too, and an empty description goes`() async throws {
        try await withWorkspace { scene in
            try scene.root.write(WorkspaceScene.tasksName, Self.old)
            var change = TaskChange()
            change.title = "New"
            change.description = "words"
            change.priority = 1
            change.blockedBy = ["x"]
            let task = try scene.tasks.update("task-1-aaaa", change, now: Self.now)?.record
            #expect(task?.title == "New")
            #expect(task?.description == "words")
            #expect(task?.priority == 1)
            #expect(task?.blockedBy == ["x"])
            change.description = ""
            #expect(try scene.tasks.update("task-1-aaaa", change, now: Self.now)?.record.description == nil)
        }
    }

    @Test func `what changes nothing writes nothing`() async throws {
        try await withWorkspace { scene in
            try scene.root.write(WorkspaceScene.tasksName, Self.old)
            #expect(
                try scene.tasks.update("task-1-aaaa", change(.open), now: Self.now)?.record.status == "open")
            #expect(scene.text(WorkspaceScene.tasksName) == Self.old)
            #expect(throws: WorkspaceError.taskNotFound) {
                try scene.tasks.update("task-1-aaab", change(.open), now: Self.now)
            }
        }
    }

    @Test func `a file that is too large is neither read nor written`() async throws {
        try await withWorkspace { scene in
            let path = try scene.root.write(WorkspaceScene.tasksName, "")
            truncate(path, off_t(TaskFile.maximumBytes + 1))
            let error = WorkspaceError.tooLarge(path: path, limit: TaskFile.maximumBytes)
            #expect(throws: error) { try scene.tasks.read() }
            #expect(throws: error) { try scene.tasks.add(TaskDraft(title: "x"), now: 1) }
            truncate(path, off_t(TaskFile.maximumBytes))
            #expect(throws: error) { try scene.tasks.add(TaskDraft(title: "x"), now: 1) }
            truncate(path, 0)
            #expect(try scene.tasks.add(TaskDraft(title: "x"), now: 1) != nil)
        }
    }

    @Test func `a task that was written over comes back once`() async throws {
        try await withWorkspace { scene in
            try scene.root.write(WorkspaceScene.tasksName, Self.old + "\n")
            let task = try #require(try scene.tasks.add(TaskDraft(title: "mine"), now: Self.now))
            #expect(try scene.tasks.restore([task]) == [])
            try scene.root.write(WorkspaceScene.tasksName, Self.old + "\n")

            #expect(try scene.tasks.restore([task]) == [task.record.id])
            #expect(try scene.tasks.restore([task]) == [])

            let page = try scene.tasks.read()?.page(status: nil, offset: 0, limit: 9)
            #expect(page?.tasks.map(\.title).sorted() == ["Old", "mine"])
        }
    }
}
