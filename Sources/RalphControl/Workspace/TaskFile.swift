import Foundation
package import RalphSessions
import RalphWire

/// `agent/tasks.jsonl` of a workspace (contract 6.1).
///
/// Lines that are no tasks, and members that nobody knows, stay as they are whatever is changed beside them.
/// Every call gives `nil` if somebody else holds the lock; nothing was done then. Synchronous.
package struct TaskFile: Sendable {
    /// A larger file is refused, and no task is added that would make it one: about 250 000 tasks.
    package static let maximumBytes = 64 << 20
    /// The rest of a loop's id is no id.
    private static let maximumLoopIDBytes = 256

    private let place: WorkspacePlace
    private var file: SharedFile {
        SharedFile(place: place, path: place.directory.tasks, maximumBytes: Self.maximumBytes)
    }

    package init(_ place: WorkspacePlace) { self.place = place }

    /// All lines; a missing file has none.
    package func read() throws(WorkspaceError) -> TaskLines? {
        try file.read().map { TaskLines($0.bytes) }
    }

    /// Adds a task at the end, as one of the loop that runs or ran last.
    ///
    /// - Parameters:
    ///   - now: milliseconds since 1970.
    ///   - isTaken: of an id that stands nowhere in the file: whether it is one of a task that was written over and is to be
    ///     put back.
    package func add(
        _ draft: TaskDraft, now: Int64, isTaken: (String) -> Bool = { _ in false }
    ) throws(WorkspaceError) -> WrittenTask? {
        let loop = currentLoopID()
        return try file.change { content throws(WorkspaceError) in
            let lines = TaskLines(content.bytes)
            let id = Self.freeID(in: lines, now: now, isTaken)
            let line = Self.line(draft, id: id, loop: loop, now: now)
            guard let record = TaskRecord(line[...]) else { throw .taskNotFound }
            return (lines.appending(line), WrittenTask(record: record, line: line))
        }?.value
    }

    /// Changes a task.
    ///
    /// - Parameter lost: the task as it was last written; it is put back if it was written over.
    /// - Throws: ``WorkspaceError/taskNotFound``.
    package func update(
        _ id: String, _ change: TaskChange, now: Int64, lost: WrittenTask? = nil
    ) throws(WorkspaceError) -> WrittenTask? {
        try file.change { content throws(WorkspaceError) in
            var lines = TaskLines(content.bytes)
            let lost = lost.flatMap { Self.isLost($0, in: lines) ? $0 : nil }
            if let lost { lines = Self.putting(lost, into: lines) }
            guard let range = lines.range(of: id), var line = TaskLine(lines.bytes[range]),
                let record = TaskRecord(lines.bytes[range])
            else { throw .taskNotFound }
            guard change.apply(to: &line, record, now: Self.time(now)) else {
                let task = WrittenTask(record: record, line: Array(lines.bytes[range]))
                return (lost == nil ? nil : lines.bytes, task)
            }
            let bytes = line.bytes
            guard let changed = TaskRecord(bytes[...]) else { throw .taskNotFound }
            let task = WrittenTask(
                record: changed, line: bytes, replaced: Array(lines.bytes[range]))
            return (lines.replacing(range, with: bytes), task)
        }?.value
    }

    /// Adds those of `tasks` again that are not in the file any more, and puts those back as they are that stand there as they
    /// were before their last changes. A file that is gone was deleted, and they with it:
    /// Ralph's own writing takes none away.
    ///
    /// - Returns: their ids.
    package func restore(_ tasks: [WrittenTask]) throws(WorkspaceError) -> Set<String>? {
        guard let content = try file.read() else { return nil }
        guard content.modified != nil, !Self.missing(tasks, in: TaskLines(content.bytes)).isEmpty else {
            return []
        }
        return try file.change(creating: false) { content throws(WorkspaceError) in
            guard content.modified != nil else { return (nil, []) }
            var lines = TaskLines(content.bytes)
            let missing = Self.missing(tasks, in: lines)
            for task in missing { lines = Self.putting(task, into: lines) }
            return (missing.isEmpty ? nil : lines.bytes, Set(missing.map(\.record.id)))
        }?.value
    }

    // MARK: Parts

    /// Tasks that were added a moment ago stand at the end, mostly as they were written: the whole file is
    /// searched only for those that do not.
    private static func missing(_ tasks: [WrittenTask], in lines: TaskLines) -> [WrittenTask] {
        let recent = lines.lastLines(bytes: tasks.reduce(256 << 10) { $0 + 2 * $1.line.count })
        return tasks.filter { !recent.contains($0.line[...]) && isLost($0, in: lines) }
    }

    /// Whether a task is not there, or as it was before its last change.
    private static func isLost(_ task: WrittenTask, in lines: TaskLines) -> Bool {
        lines.range(of: task.record.id).map { task.earlier.contains(Array(lines.bytes[$0])) } ?? true
    }

    private static func putting(_ task: WrittenTask, into lines: TaskLines) -> TaskLines {
        let range = lines.range(of: task.record.id)
        return TaskLines(range.map { lines.replacing($0, with: task.line) } ?? lines.appending(task.line))
    }

    /// As Ralph spells it.
    private static func time(_ now: Int64) -> String { "\(Timestamp.text(now).dropLast())+00:00" }

    /// Members in Ralph's order.
    private static func line(_ draft: TaskDraft, id: String, loop: String?, now: Int64) -> [UInt8] {
        var line = TaskLine()
        line.set("id", id)
        line.set("title", draft.title)
        if let description = draft.description { line.set("description", description) }
        line.set("status", TaskStatus.open.rawValue)
        line.set("priority", draft.priority)
        line.set("blocked_by", draft.blockedBy)
        if let loop { line.set("loop_id", loop) }
        line.set("created", time(now))
        return line.bytes
    }

    /// `task-<seconds>-<4 hex>` that stands nowhere in the file and never will of Ralph's doing: it makes an id of the
    /// second and microsecond at hand without looking whether that is taken, so ours are of a second that is over.
    private static func freeID(in lines: TaskLines, now: Int64, _ isTaken: (String) -> Bool) -> String {
        var second = now / 1000 - secondsBehind
        while true {
            for _ in 0..<64 {
                let id = "task-\(second)-" + Hexadecimal.text(UInt16.random(in: 0...UInt16.max))
                if !lines.contains(id), !isTaken(id) { return id }
            }
            second -= 1
        }
    }

    /// For longer than Ralph waits between making an id and writing it.
    private static let secondsBehind: Int64 = 60

    private func currentLoopID() -> String? {
        let directory = place.directory
        // Without a marker, or with one that cannot be read, a task belongs to no loop.
        guard let handle = try? DirectoryHandle(directory.path, inside: place.roots),
            let bytes = handle.content(
                of: SessionDirectory.loopIDName, maximumBytes: Self.maximumLoopIDBytes)
        else { return nil }
        let id = SessionDirectory.trimmed(String(decoding: bytes, as: UTF8.self))
        return id.isEmpty ? nil : id
    }
}
