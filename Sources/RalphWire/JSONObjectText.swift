/// Builds the compact text of a JSON object member by member.
package struct JSONObjectText: Sendable {
    /// The text without its closing brace.
    private var bytes: [UInt8] = [UInt8(ascii: "{")]

    package init() {}

    /// The whole object.
    package var finished: [UInt8] {
        var whole = bytes
        whole.append(UInt8(ascii: "}"))
        return whole
    }

    /// The whole object.
    package var text: String { String(decoding: finished, as: UTF8.self) }

    package mutating func add(_ key: String, _ text: String?) {
        addKey(key)
        if let text { JSONText.appendString(text, to: &bytes) } else { bytes += "null".utf8 }
    }

    package mutating func add(_ key: String, _ number: Int) { add(key, Int64(number)) }

    package mutating func add(_ key: String, _ number: Int64) {
        addKey(key)
        JSONText.appendInteger(number, to: &bytes)
    }

    /// `number` is finite.
    package mutating func add(_ key: String, _ number: Double) {
        addKey(key)
        bytes += number.description.utf8
    }

    package mutating func add(_ key: String, _ flag: Bool) {
        addKey(key)
        bytes += (flag ? "true" : "false").utf8
    }

    package mutating func add(_ key: String, _ texts: [String]) {
        addKey(key)
        JSONText.appendStrings(texts, to: &bytes)
    }

    /// Adds a member whose value is JSON text.
    package mutating func add(_ key: String, json: [UInt8]) {
        addKey(key)
        bytes += json
    }

    /// Adds what `write` appends, a whole member.
    package mutating func addMember(_ write: (inout [UInt8]) -> Void) {
        if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
        write(&bytes)
    }

    private mutating func addKey(_ key: String) {
        if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
        JSONText.appendString(key, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
    }
}
