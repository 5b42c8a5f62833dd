import RalphWire

/// A line of `agent/tasks.jsonl` while it is made or changed. Members keep their order and, unless they are set,
/// their spelling, also those that nobody knows.
package struct TaskLine: Sendable {
    private var members: [(name: String, json: [UInt8])] = []

    /// A line without members.
    package init() {}

    /// `nil` unless `line` is one JSON object.
    package init?(_ line: ArraySlice<UInt8>) {
        let found: [(name: String, json: [UInt8])]? = line.withUnsafeBufferPointer { buffer in
            var members: [JSONMember] = []
            guard let base = buffer.baseAddress, TaskLines.scan(base, 0..<buffer.count, &members) else {
                return nil
            }
            return members.map { member in
                let quote = member.value.isString ? 1 : 0
                let range = Int(member.value.start) - quote..<Int(member.value.end) + quote
                return (member.key.string(base, limit: .max) ?? "", Array(buffer[range]))
            }
        }
        guard let found else { return nil }
        members = found
    }

    /// The line, without a line feed.
    package var bytes: [UInt8] {
        var line = JSONObjectText()
        for (name, json) in members { line.add(name, json: json) }
        return line.finished
    }

    package func has(_ name: String) -> Bool { members.contains { $0.name == name } }

    package mutating func set(_ name: String, _ text: String) {
        var json: [UInt8] = []
        JSONText.appendString(text, to: &json)
        put(name, json)
    }

    package mutating func set(_ name: String, _ number: Int) { put(name, Array(String(number).utf8)) }

    package mutating func set(_ name: String, _ texts: [String]) {
        var json: [UInt8] = []
        JSONText.appendStrings(texts, to: &json)
        put(name, json)
    }

    package mutating func remove(_ name: String) { members.removeAll { $0.name == name } }

    /// In its place, or at the end; of equal names one is left.
    private mutating func put(_ name: String, _ json: [UInt8]) {
        guard let index = members.firstIndex(where: { $0.name == name }) else {
            members.append((name, json))
            return
        }
        members[index].json = json
        let rest = members[(index + 1)...].filter { $0.name != name }
        members.replaceSubrange((index + 1)..., with: rest)
    }
}
