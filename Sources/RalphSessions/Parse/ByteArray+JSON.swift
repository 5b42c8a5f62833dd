/// Bytes of text that is known to be well-formed.
extension [UInt8] {
    /// Appends `text` as it is.
    @inline(__always)
    mutating func appendASCII(_ text: StaticString) {
        append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Appends compact JSON as the inside of a JSON string: only quotes and backslashes need an escape there.
    mutating func appendQuotable(_ json: ArraySlice<UInt8>) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 2 * json.count) { text in
            var end = 0
            for byte in json {
                if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
                    text[end] = UInt8(ascii: "\\")
                    end += 1
                }
                text[end] = byte
                end += 1
            }
            append(contentsOf: UnsafeBufferPointer(rebasing: text[..<end]))
        }
    }

    /// At most `limit` bytes, ending between two characters.
    func prefixOfCharacters(_ limit: Int) -> ArraySlice<UInt8> {
        guard count > limit else { return self[...] }
        var end = limit
        while end > 0, self[end] & 0xC0 == 0x80 { end -= 1 }
        return self[..<end]
    }
}
