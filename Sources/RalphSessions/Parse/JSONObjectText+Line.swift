import RalphWire

extension JSONObjectText {
    /// Adds an object with `input_tokens` and `output_tokens`.
    mutating func add(_ key: String, tokens input: Int, _ output: Int) {
        var inner = JSONObjectText()
        inner.add("input_tokens", input)
        inner.add("output_tokens", output)
        add(key, json: inner.finished)
    }

    /// Adds a member of a line as it is.
    mutating func add(_ member: JSONMember, _ base: UnsafePointer<UInt8>) {
        addMember { bytes in
            bytes.append(UInt8(ascii: "\""))
            member.key.appendInside(base, to: &bytes)
            bytes += [UInt8(ascii: "\""), UInt8(ascii: ":")]
            member.value.appendValue(base, to: &bytes)
        }
    }
}
