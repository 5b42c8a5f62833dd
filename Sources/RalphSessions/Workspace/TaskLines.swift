import Foundation

/// The content of `agent/tasks.jsonl`: one task per line, and lines that are none (contract 6.1).
package struct TaskLines: Sendable {
    /// Some tasks of a file, in the order of http-contract 7: by priority, then newest first.
    package struct Page: Sendable {
        package let tasks: [TaskRecord]
        /// All tasks of the wanted status.
        package let total: Int
        /// Lines that are no tasks; blank ones do not count.
        package let skippedLines: Int
    }

    /// What the order needs of a task: the rest is read for those that are shown only.
    private struct Key {
        let start: Int
        let end: Int
        let priority: Int
        let created: Int64
    }

    package let bytes: [UInt8]

    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The tasks of `status` (`nil`: all) behind the first `offset`, at most `limit`.
    package func page(status: String?, offset: Int, limit: Int) -> Page {
        bytes.withUnsafeBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return Page(tasks: [], total: 0, skippedLines: 0) }
            var (keys, skipped) = Self.keys(base, buffer.count, status: status)
            keys.sort { left, right in
                if left.priority != right.priority { return left.priority < right.priority }
                if left.created != right.created { return left.created > right.created }
                return left.start > right.start
            }
            var members: [JSONMember] = []
            var tasks: [TaskRecord] = []
            for key in keys.dropFirst(offset).prefix(limit) {
                guard Self.scan(base, key.start..<key.end, &members) else { continue }
                if let task = TaskRecord(members, base) { tasks.append(task) }
            }
            return Page(tasks: tasks, total: keys.count, skippedLines: skipped)
        }
    }

    /// Where the first task of this id stands: its line, without the line feed.
    package func range(of id: String) -> Range<Int>? {
        let wanted = Array(id.utf8)
        return bytes.withUnsafeBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return nil }
            var members: [JSONMember] = []
            var index = 0
            while let hit = Self.find(wanted, in: buffer[index...]) {
                let line = Self.line(around: index + hit, base, buffer.count)
                if Self.scan(base, line, &members), members.value("id", base).equals(id, base),
                    TaskRecord(members, base) != nil
                {
                    return line
                }
                // The last line need not end with a line feed.
                index = min(line.upperBound + 1, buffer.count)
            }
            return nil
        }
    }

    /// Whether `text` stands anywhere in the file.
    package func contains(_ text: String) -> Bool {
        bytes.withUnsafeBufferPointer { Self.find(Array(text.utf8), in: $0[...]) != nil }
    }

    /// The lines in the last `count` bytes.
    package func lastLines(bytes count: Int) -> Set<ArraySlice<UInt8>> {
        Set(bytes.suffix(count).split(separator: 0x0A))
    }

    /// The file with one line more; what is there stays as it is, also a last line that was torn off.
    package func appending(_ line: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count + line.count + 2)
        result += bytes
        if let last = bytes.last, last != 0x0A { result.append(0x0A) }
        result += line
        result.append(0x0A)
        return result
    }

    /// The file with another line in the place of one; everything else stays as it is.
    package func replacing(_ range: Range<Int>, with line: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count - range.count + line.count)
        result += bytes[..<range.lowerBound]
        result += line
        result += bytes[range.upperBound...]
        return result
    }

    // MARK: Parts

    /// Takes a line apart; `false` unless it is one JSON object.
    static func scan(
        _ base: UnsafePointer<UInt8>, _ range: Range<Int>, _ members: inout [JSONMember]
    ) -> Bool {
        guard range.upperBound < Int(Int32.max) else { return false }
        var scanner = JSONScanner(base: base, count: range.upperBound, index: range.lowerBound)
        scanner.skipSpaces()
        // As many as are kept at most could be all, or not: such a line is not ours to write again.
        guard scanner.scanObject(into: &members), members.count < JSONScanner.maximumMembers else {
            return false
        }
        scanner.skipSpaces()
        return scanner.index == range.upperBound
    }

    private static func keys(
        _ base: UnsafePointer<UInt8>, _ count: Int, status: String?
    ) -> (keys: [Key], skipped: Int) {
        var keys: [Key] = []
        var members: [JSONMember] = []
        var (start, skipped) = (0, 0)
        while start < count {
            let line = line(around: start, base, count)
            start = line.upperBound + 1
            if line.allSatisfy({ JSONScanner.isSpace(base[$0]) }) { continue }
            guard scan(base, line, &members), let task = key(members, base, line) else {
                skipped += 1
                continue
            }
            if let status, !members.value("status", base).equals(status, base) { continue }
            keys.append(task)
        }
        return (keys, skipped)
    }

    /// What the order needs, of a line that is a task; see ``TaskRecord/init(_:)``.
    private static func key(
        _ members: [JSONMember], _ base: UnsafePointer<UInt8>, _ line: Range<Int>
    ) -> Key? {
        guard members.value("id", base).isString, members.value("title", base).isString,
            members.value("status", base).isString,
            let priority = members.value("priority", base).integer(base), priority <= 255,
            let created = TaskRecord.created(members, base)
        else { return nil }
        let blockers = members.value("blocked_by", base)
        switch blockers.kind {
        case .missing: break
        case .array: guard isListOfTexts(blockers.buffer(base)) else { return nil }
        default: return nil
        }
        return Key(start: line.lowerBound, end: line.upperBound, priority: priority, created: created)
    }

    /// Whether a JSON array has nothing but strings in it.
    private static func isListOfTexts(_ array: UnsafeBufferPointer<UInt8>) -> Bool {
        var (isText, isEscaped) = (false, false)
        for byte in array.dropFirst().dropLast() {
            if isText {
                if byte == UInt8(ascii: "\""), !isEscaped { isText = false }
                isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
            } else if byte == UInt8(ascii: "\"") {
                isText = true
            } else if byte != UInt8(ascii: ","), !JSONScanner.isSpace(byte) {
                return false
            }
        }
        return true
    }

    private static func line(around index: Int, _ base: UnsafePointer<UInt8>, _ count: Int) -> Range<Int> {
        var start = index
        while start > 0, base[start - 1] != 0x0A { start -= 1 }
        let end = memchr(base + index, 0x0A, count - index).map { base.distance(to: $0) }
        return start..<(end ?? count)
    }

    private static func find(_ text: [UInt8], in rest: Slice<UnsafeBufferPointer<UInt8>>) -> Int? {
        let rest = UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: rest))
        return text.withUnsafeBytes { ByteSearch.offset(of: $0, in: rest) }
    }
}

extension UnsafePointer<UInt8> {
    /// How far behind this one `other` is.
    fileprivate func distance(to other: UnsafeMutableRawPointer) -> Int {
        UnsafeRawPointer(self).distance(to: UnsafeRawPointer(other))
    }
}
