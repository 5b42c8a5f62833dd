/// Reading what a slice says; `base` is what its offsets count from.
extension JSONSlice {
    /// Whether the slice's bytes are those of `word`, which is ASCII.
    @inline(__always)
    func spells(_ word: StaticString, _ base: UnsafePointer<UInt8>) -> Bool {
        guard count == word.utf8CodeUnitCount else { return false }
        let bytes = base + Int(start)
        let wanted = word.utf8Start
        for index in 0..<count where bytes[index] != wanted[index] { return false }
        return true
    }

    /// Whether the slice's bytes begin with `word`, which is ASCII.
    func begins(with word: StaticString, _ base: UnsafePointer<UInt8>) -> Bool {
        guard count >= word.utf8CodeUnitCount else { return false }
        var head = self
        head.end = start + Int32(word.utf8CodeUnitCount)
        return head.spells(word, base)
    }

    /// Whether the slice's bytes end with `word`, which is ASCII.
    func ends(with word: StaticString, _ base: UnsafePointer<UInt8>) -> Bool {
        guard count >= word.utf8CodeUnitCount else { return false }
        var rest = self
        rest.start = end - Int32(word.utf8CodeUnitCount)
        return rest.spells(word, base)
    }

    /// Whether the slice's bytes are those of `text`; escapes are not resolved.
    func equals(_ text: String, _ base: UnsafePointer<UInt8>) -> Bool {
        text.utf8.count == count && text.utf8.elementsEqual(buffer(base))
    }

    /// Whether it is the word `true`.
    func isTrue(_ base: UnsafePointer<UInt8>) -> Bool {
        kind == .bool && base[Int(start)] == UInt8(ascii: "t")
    }

    func buffer(_ base: UnsafePointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: base + Int(start), count: count)
    }

    /// The integer from 0 to 999 999 999 999 999 999 that the slice is; `nil` for anything else.
    func integer(_ base: UnsafePointer<UInt8>) -> Int? {
        guard kind == .integer, count <= 18, base[Int(start)] != UInt8(ascii: "-") else { return nil }
        var value = 0
        for byte in buffer(base) { value = value * 10 + Int(byte &- 48) }
        return value
    }

    /// Ralph counts iterations in 32 bits.
    static let maximumIteration = Int(UInt32.max)

    /// The number of an iteration, or of iterations, that the slice is, 0 … ``maximumIteration``; `nil` for anything else.
    func iteration(_ base: UnsafePointer<UInt8>) -> Int? {
        integer(base).flatMap { $0 <= Self.maximumIteration ? $0 : nil }
    }

    /// The number that the slice is.
    func number(_ base: UnsafePointer<UInt8>) -> Double? {
        guard kind == .integer || kind == .number else { return nil }
        return Double(String(decoding: buffer(base), as: UTF8.self)).flatMap { $0.isFinite ? $0 : nil }
    }

    /// The text of a string, escapes resolved, cut to about `limit` bytes at a character; `nil`: no string.
    func string(_ base: UnsafePointer<UInt8>, limit: Int = 8192) -> String? {
        guard isString else { return nil }
        var bytes: [UInt8] = []
        appendUnescaped(base, to: &bytes)
        guard bytes.count > limit else { return String(decoding: bytes, as: UTF8.self) }
        var end = limit
        while end > 0, bytes[end] & 0xC0 == 0x80 { end -= 1 }
        return String(decoding: bytes[..<end], as: UTF8.self)
    }

    /// Appends the text of a string with its escapes resolved; surrogates that stand alone become U+FFFD.
    func appendUnescaped(_ base: UnsafePointer<UInt8>, to bytes: inout [UInt8]) {
        guard traits.contains(.escapes) else {
            bytes.append(contentsOf: buffer(base))
            return
        }
        // What an escape stands for is never longer than the escape; room for four bytes more if the last one is cut.
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: count + 4) { text in
            guard let first = text.baseAddress else { return }
            let limit = Int(end)
            var index = Int(start)
            var next = first
            while index < limit {
                if base[index] == UInt8(ascii: "\\") {
                    let (length, scalar) = Self.escape(at: base + index, limit - index)
                    next += UTF8Text.write(scalar, to: next)
                    index += length
                } else {
                    next.pointee = base[index]
                    next += 1
                    index += 1
                }
            }
            bytes.append(contentsOf: UnsafeBufferPointer(start: first, count: next - first))
        }
    }

    /// The length of the escape at `bytes`, and what it stands for.
    private static func escape(
        at bytes: UnsafePointer<UInt8>, _ available: Int
    ) -> (length: Int, scalar: UInt32) {
        guard bytes[1] == UInt8(ascii: "u") else {
            return switch bytes[1] {
            case UInt8(ascii: "n"): (2, 0x0A)
            case UInt8(ascii: "r"): (2, 0x0D)
            case UInt8(ascii: "t"): (2, 0x09)
            case UInt8(ascii: "b"): (2, 0x08)
            case UInt8(ascii: "f"): (2, 0x0C)
            default: (2, UInt32(bytes[1]))
            }
        }
        let unit = UTF8Text.hexUnit(bytes + 2) ?? 0xFFFD
        if let low = lowSurrogate(behind: unit, bytes, available) {
            return (12, 0x10000 + (UInt32(unit) & 0x3FF) << 10 + UInt32(low) & 0x3FF)
        }
        return (6, unit & 0xF800 == 0xD800 ? 0xFFFD : UInt32(unit))
    }

    /// The second half of the pair that the escape at `bytes` begins, if it does.
    static func lowSurrogate(
        behind unit: UInt16, _ bytes: UnsafePointer<UInt8>, _ available: Int
    ) -> UInt16? {
        guard unit & 0xFC00 == 0xD800, available >= 12, bytes[6] == UInt8(ascii: "\\"),
            bytes[7] == UInt8(ascii: "u"), let low = UTF8Text.hexUnit(bytes + 8), low & 0xFC00 == 0xDC00
        else { return nil }
        return low
    }
}
