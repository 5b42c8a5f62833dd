import RalphWire

/// Copying a slice into wire JSON, see ``JSONSlice/Traits`` for what is put right on the way.
extension JSONSlice {
    /// Appends the inside of a string, without quotes, cut to `limit` bytes between two characters.
    func appendInside(_ base: UnsafePointer<UInt8>, limit: Int = .max, to bytes: inout [UInt8]) {
        var slice = self
        if count > limit { slice.end = start + Int32(Self.prefixLength(base + Int(start), count, limit)) }
        if traits.contains(.unsafe) {
            slice.appendCarefully(base, isInside: true, to: &bytes)
        } else {
            bytes.append(contentsOf: slice.buffer(base))
        }
    }

    /// Appends the value as compact JSON.
    ///
    /// - Parameter largest: numbers of up to that stay numbers, however they are spelled; `nil`: those that every reader
    ///   surely takes for one.
    func appendValue(
        _ base: UnsafePointer<UInt8>, largest: Double? = nil, to bytes: inout [UInt8]
    ) {
        if isString { bytes.append(UInt8(ascii: "\"")) }
        if traits.isDisjoint(with: [.unsafe, .spaces]) {
            bytes.append(contentsOf: buffer(base))
        } else {
            appendCarefully(base, isInside: isString, largest: largest, to: &bytes)
        }
        if isString { bytes.append(UInt8(ascii: "\"")) }
    }

    private func appendCarefully(
        _ base: UnsafePointer<UInt8>, isInside: Bool, largest: Double? = nil, to bytes: inout [UInt8]
    ) {
        var isInside = isInside
        let limit = Int(end)
        var index = Int(start)
        while index < limit {
            let byte = base[index]
            if isInside {
                index += Self.appendCharacter(base + index, limit - index, to: &bytes)
                if byte == UInt8(ascii: "\"") { isInside = false }
            } else if byte == UInt8(ascii: "-") || byte &- 48 < 10 {
                index += Self.appendNumber(base + index, limit - index, largest, to: &bytes)
            } else {
                if byte == UInt8(ascii: "\"") { isInside = true }
                if !JSONScanner.isSpace(byte) { bytes.append(byte) }
                index += 1
            }
        }
    }

    /// Appends one character or escape of a string and gives its length.
    private static func appendCharacter(
        _ text: UnsafePointer<UInt8>, _ available: Int, to bytes: inout [UInt8]
    ) -> Int {
        var length = characterLength(text, available)
        if text[0] == UInt8(ascii: "\\"), length >= 6, let unit = UTF8Text.hexUnit(text + 2) {
            if lowSurrogate(behind: unit, text, available) != nil {
                length = 12
            } else if unit & 0xF800 == 0xD800 {
                bytes.append(contentsOf: "\\ufffd".utf8)
                return 6
            }
        } else if text[0] >= 0x80, UTF8Text.isControl(text, length) {
            JSONText.appendEscaped(UnsafeBufferPointer(start: text, count: length), to: &bytes)
            return length
        }
        bytes.append(contentsOf: UnsafeBufferPointer(start: text, count: length))
        return length
    }

    /// Appends a number, as a string if a double may not hold it, and gives its length.
    private static func appendNumber(
        _ text: UnsafePointer<UInt8>, _ available: Int, _ largest: Double?, to bytes: inout [UInt8]
    ) -> Int {
        var scanner = JSONScanner(base: text, count: available)
        let number = scanner.scanValue()
        let isUnsafe = number.traits.contains(.unsafe) && !number.isWithin(largest, text)
        if isUnsafe { bytes.append(UInt8(ascii: "\"")) }
        bytes.append(contentsOf: number.buffer(text))
        if isUnsafe { bytes.append(UInt8(ascii: "\"")) }
        return max(1, number.count)
    }

    private func isWithin(_ largest: Double?, _ base: UnsafePointer<UInt8>) -> Bool {
        guard let largest, let number = Double(String(decoding: buffer(base), as: UTF8.self)) else {
            return false
        }
        return number.magnitude <= largest
    }

    /// The length of the character or escape at `text`; an escape's surrogate halves count singly.
    private static func characterLength(_ text: UnsafePointer<UInt8>, _ available: Int) -> Int {
        if text[0] == UInt8(ascii: "\\") {
            return min(available, available > 1 && text[1] == UInt8(ascii: "u") ? 6 : 2)
        }
        return max(1, UTF8Text.sequenceLength(text, available))
    }

    /// The longest prefix of at most `limit` bytes that ends between two characters or escapes; half of a
    /// surrogate pair may remain, which the careful copy replaces.
    private static func prefixLength(_ text: UnsafePointer<UInt8>, _ count: Int, _ limit: Int) -> Int {
        var length = 0
        while length < count {
            let next = characterLength(text + length, count - length)
            if length + next > limit { break }
            length += next
        }
        return length
    }
}
