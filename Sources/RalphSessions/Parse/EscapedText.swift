/// Texts as they stand in JSON.
package enum EscapedText {
    /// What `text`, the inside of a string of valid JSON, says: escapes resolved.
    package static func resolved(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard text.contains(UInt8(ascii: "\\")) else { return text }
        var resolved: [UInt8] = []
        text.withUnsafeBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return }
            let slice = JSONSlice(end: Int32(buffer.count), kind: .string, traits: .escapes)
            slice.appendUnescaped(base, to: &resolved)
        }
        return resolved[...]
    }
}
