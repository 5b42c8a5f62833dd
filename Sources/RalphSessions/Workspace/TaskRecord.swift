import RalphWire

/// One task of `agent/tasks.jsonl` (contract 6.1).
package struct TaskRecord: Sendable, Equatable {
    package let id: String
    package let title: String
    package let description: String?
    /// `open`, `in_progress`, `closed` or `failed`; later versions of Ralph may say others.
    package let status: String
    /// 1 … 5 as Ralph writes it, 1 is the highest; 0 … 255 as it reads it.
    package let priority: Int
    package let blockedBy: [String]
    package let loopID: String?
    /// Milliseconds since 1970.
    package let created: Int64
    /// Milliseconds since 1970: the latest of all times in the line.
    package let updated: Int64

    /// `nil` unless `line` is a task that Ralph reads: `id`, `title`, `status` and `created` are strings,
    /// `priority` is 0 … 255, and the rest is absent, `null` or of its type.
    package init?(_ line: ArraySlice<UInt8>) {
        let record: TaskRecord? = line.withUnsafeBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return nil }
            var members: [JSONMember] = []
            guard TaskLines.scan(base, 0..<buffer.count, &members) else { return nil }
            return TaskRecord(members, base)
        }
        guard let record else { return nil }
        self = record
    }

    init?(_ members: [JSONMember], _ base: UnsafePointer<UInt8>) {
        guard let id = members.value("id", base).string(base, limit: .max),
            let title = members.value("title", base).string(base, limit: .max),
            let status = members.value("status", base).string(base, limit: .max),
            let priority = members.value("priority", base).integer(base), priority <= 255,
            let created = Self.created(members, base),
            let blockers = Self.blockers(members.value("blocked_by", base), base)
        else { return nil }
        self.id = id
        self.title = title
        self.status = status
        self.priority = priority
        self.created = created
        description = members.value("description", base).string(base, limit: .max)
        loopID = members.value("loop_id", base).string(base, limit: .max)
        blockedBy = blockers
        let others = [
            members.value("started", base), members.value("closed", base), members.value("updated", base),
        ]
        updated = others.compactMap { Self.time($0, base) }.reduce(created, max)
    }

    /// When the task was made: what `created` says, else what the id says, else 1970.
    static func created(_ members: [JSONMember], _ base: UnsafePointer<UInt8>) -> Int64? {
        let slice = members.value("created", base)
        guard slice.isString else { return nil }
        return time(slice, base) ?? time(ofID: members.value("id", base), base)
    }

    private static func time(_ slice: JSONSlice, _ base: UnsafePointer<UInt8>) -> Int64? {
        guard slice.isString else { return nil }
        return Timestamp.parse(UnsafeRawBufferPointer(slice.buffer(base)))
    }

    /// Ids are `task-<seconds>-<4 hex>`.
    private static func time(ofID slice: JSONSlice, _ base: UnsafePointer<UInt8>) -> Int64 {
        let parts = slice.buffer(base).split(separator: UInt8(ascii: "-"))
        guard parts.count > 1, parts[1].count <= 11 else { return 0 }
        return (Int64(String(decoding: parts[1], as: UTF8.self)) ?? 0) * 1000
    }

    private static func blockers(_ slice: JSONSlice, _ base: UnsafePointer<UInt8>) -> [String]? {
        switch slice.kind {
        case .missing: return []
        case .array: return texts(slice, base)
        default: return nil
        }
    }

    /// The strings of a JSON array; `nil` if anything else is in it.
    private static func texts(_ array: JSONSlice, _ base: UnsafePointer<UInt8>) -> [String]? {
        var texts: [String] = []
        var scanner = JSONScanner(base: base, count: Int(array.end) - 1, index: Int(array.start) + 1)
        scanner.skipSpaces()
        while scanner.index < scanner.count {
            guard let text = scanner.scanString().string(base, limit: .max) else { return nil }
            texts.append(text)
            scanner.skipSpaces()
            // Behind each but the last there is a comma.
            scanner.index += 1
            scanner.skipSpaces()
        }
        return texts
    }
}
