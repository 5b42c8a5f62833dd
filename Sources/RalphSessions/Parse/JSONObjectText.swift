import RalphWire

/// Builds the compact text of a JSON object member by member.
struct JSONObjectText {
    /// The text without its closing brace.
    private var bytes: [UInt8] = [UInt8(ascii: "{")]

    /// The whole object.
    var finished: [UInt8] { bytes + [UInt8(ascii: "}")] }

    mutating func add(_ key: String, _ text: String?) {
        addKey(key)
        if let text { JSONText.appendString(text, to: &bytes) } else { bytes += Array("null".utf8) }
    }

    mutating func add(_ key: String, _ number: Int) {
        addKey(key)
        JSONText.appendInteger(number, to: &bytes)
    }

    /// `number` is finite.
    mutating func add(_ key: String, _ number: Double) {
        addKey(key)
        bytes += Array(number.description.utf8)
    }

    mutating func add(_ key: String, _ flag: Bool) {
        addKey(key)
        bytes += Array((flag ? "true" : "false").utf8)
    }

    /// Adds an object with `input_tokens` and `output_tokens`.
    mutating func add(_ key: String, tokens input: Int, _ output: Int) {
        var inner = JSONObjectText()
        inner.add("input_tokens", input)
        inner.add("output_tokens", output)
        addKey(key)
        bytes += inner.finished
    }

    /// Adds a member of a line as it is.
    mutating func add(_ member: JSONMember, _ base: UnsafePointer<UInt8>) {
        if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
        bytes.append(UInt8(ascii: "\""))
        member.key.appendInside(base, to: &bytes)
        bytes += [UInt8(ascii: "\""), UInt8(ascii: ":")]
        member.value.appendValue(base, to: &bytes)
    }

    private mutating func addKey(_ key: String) {
        if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
        JSONText.appendString(key, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
    }
}
