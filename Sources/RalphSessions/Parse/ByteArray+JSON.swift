/// Bytes of text that is known to be well-formed.
extension [UInt8] {
    /// Appends `text` as it is.
    @inline(__always)
    mutating func appendASCII(_ text: StaticString) {
        append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Appends compact JSON as the inside of a JSON string: only quotes and backslashes need an escape there.
    mutating func appendQuotable(_ json: ArraySlice<UInt8>) {
        var rest = json
        while let next = rest.firstIndex(where: { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") }) {
            append(contentsOf: rest[..<next])
            append(UInt8(ascii: "\\"))
            append(rest[next])
            rest = rest[(next + 1)...]
        }
        append(contentsOf: rest)
    }

    /// At most `limit` bytes, ending between two characters.
    func prefixOfCharacters(_ limit: Int) -> ArraySlice<UInt8> {
        guard count > limit else { return self[...] }
        var end = limit
        while end > 0, self[end] & 0xC0 == 0x80 { end -= 1 }
        return self[..<end]
    }
}
