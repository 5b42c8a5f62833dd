import Foundation
import RalphSessions
import RalphWire

/// `merge-queue.jsonl`: the last word on each loop that was to be merged (contract 5.4).
///
/// Reads Ralph's rows and those of the former server (http-contract 15.3); bad lines are skipped and counted.
struct MergeQueue: Sendable, Equatable {
    /// Where a loop stands.
    enum State: String, Sendable {
        case queued, merging, merged
        case needsReview = "needs_review"
        case discarded
    }

    /// One loop; times are milliseconds since 1970.
    struct Item: Sendable, Equatable {
        let id: String
        var state: State
        var prompt = ""
        var queuedAt: Int64
        /// When ``state`` came.
        var changedAt: Int64
        var worktree: String?
        var commit: String?
        var reason: String?
        /// The process that merges, while ``state`` is `merging`.
        var pid: Int32?
        /// That process is not seen here, and has not said what came of the merge; only ``load(_:)`` finds out.
        var isLeft = false

        /// Whether the process that merges is alive, and not one that got its number later.
        var isAtWork: Bool {
            guard state == .merging, let pid, let process = RunningProcess(pid: pid) else { return false }
            return process.canHaveStarted(by: changedAt)
        }
    }

    /// A larger file is not read.
    static let maximumBytes = 16 << 20
    /// Loops past this number are not taken up; they count as skipped lines.
    static let maximumItems = 10_000

    /// In the order in which they were first named.
    private(set) var items: [Item] = []
    private(set) var skippedLines = 0
    /// Whether there are lines that are skipped or not Ralph's: of a queue with one that it cannot read Ralph reads nothing.
    private(set) var hasOtherLines = false
    private var places: [String: Int] = [:]

    /// The queue of the workspace of `directory`; empty without a file.
    ///
    /// - Throws: ``Problem`` 500 for a file that is there and cannot be read.
    ///
    /// - Parameter find: looks for the file at a path that leads through no link.
    static func load(
        _ directory: SessionDirectory, _ find: (_ path: String) -> BoundedFile.Finding = Self.find
    ) throws(Problem) -> MergeQueue {
        let status = EntryStatus(at: directory.mergeQueue)
        var queue = try read(directory, find)
        let gone = queue.items.filter { $0.state == .merging && $0.pid != nil && !$0.isAtWork }
        // What they said last may have come after it was read.
        if !gone.isEmpty, EntryStatus(at: directory.mergeQueue) != status {
            queue = try read(directory, find)
        }
        for item in gone {
            guard let place = queue.places[item.id], queue.items[place] == item else { continue }
            queue.items[place].isLeft = true
        }
        return queue
    }

    static func find(_ path: String) -> BoundedFile.Finding {
        BoundedFile.find(path, maximumBytes: maximumBytes, isDirect: true)
    }

    private static func read(
        _ directory: SessionDirectory, _ find: (_ path: String) -> BoundedFile.Finding
    ) throws(Problem) -> MergeQueue {
        let path = directory.mergeQueue
        let why: String
        switch find(path) {
        case .content(let bytes): return MergeQueue(bytes)
        case .none where DirectPath.status(of: path) == nil: return MergeQueue([])
        case .none: why = "it is no regular file, or has more than \(maximumBytes >> 20) MiB"
        case .unreadable(let reason): why = reason.description
        }
        throw Problem(
            status: 500, error: "failed_to_parse_merge_queue: \(why)", code: .internalError, details: path)
    }

    init(_ bytes: [UInt8]) {
        for line in bytes.split(separator: 0x0A) where line.contains(where: { $0 != 0x20 && $0 != 0x0D }) {
            // What is no JSON object is skipped and counted below.
            let members = try? JSONSerialization.jsonObject(with: Data(line)) as? [String: Any]
            if let members, take(ralph: members) { continue }
            hasOtherLines = true
            if let members, take(former: members) { continue }
            skippedLines += 1
        }
    }

    subscript(id: String) -> Item? { places[id].map { items[$0] } }

    /// `{"ts":…,"loop_id":…,"event":{"type":…}}`.
    private mutating func take(ralph members: [String: Any]) -> Bool {
        guard let id = members["loop_id"] as? String, let event = members["event"] as? [String: Any],
            let state = (event["type"] as? String).flatMap(State.init(rawValue:)),
            let time = Self.time(members["ts"])
        else { return false }
        return change(id, to: state, at: time) { item in
            if let prompt = event["prompt"] as? String { item.prompt = String(prompt.prefix(1000)) }
            item.commit = event["commit"] as? String
            item.reason = (event["reason"] as? String).map { String($0.prefix(1000)) }
            item.pid = (event["pid"] as? NSNumber).flatMap { Int32(exactly: $0) }
        }
    }

    /// `{"type":"loop.queued","id":…,"timestamp":…}`.
    private mutating func take(former members: [String: Any]) -> Bool {
        let states: [String: State] = [
            "loop.queued": .queued, "loop.merged": .merged, "loop.merge_failed": .needsReview,
        ]
        guard let state = (members["type"] as? String).flatMap({ states[$0] }),
            let id = members["id"] as? String, let time = Self.time(members["timestamp"] ?? members["ts"])
        else { return false }
        return change(id, to: state, at: time) { item in
            if let prompt = members["prompt"] as? String { item.prompt = String(prompt.prefix(1000)) }
            if let path = members["worktree_path"] as? String { item.worktree = path }
            item.commit = members["commit"] as? String
            item.reason = (members["reason"] as? String ?? members["error"] as? String).map {
                String($0.prefix(1000))
            }
            item.pid = nil
        }
    }

    private mutating func change(
        _ id: String, to state: State, at time: Int64, _ fill: (inout Item) -> Void
    ) -> Bool {
        guard Loop.isID(id) else { return false }
        if let place = places[id] {
            items[place].state = state
            items[place].changedAt = time
            if state == .queued { items[place].queuedAt = time }
            fill(&items[place])
            return true
        }
        guard items.count < Self.maximumItems else { return false }
        var item = Item(id: id, state: state, queuedAt: time, changedAt: time)
        fill(&item)
        places[id] = items.count
        items.append(item)
        return true
    }

    private static func time(_ value: Any?) -> Int64? {
        (value as? String).flatMap { Timestamp.parse(Array($0.utf8)) }
    }
}
