/// Reads JSON (RFC 8259) strictly, without recursion and without copying: strings are valid UTF-8 without
/// raw controls, numbers follow the grammar, containers nest at most ``maximumDepth`` deep.
struct JSONScanner {
    /// Deeper nesting is refused.
    static let maximumDepth = 128
    /// Members of an object past this number are checked but not kept.
    static let maximumMembers = 256

    let base: UnsafePointer<UInt8>
    let count: Int
    /// Just behind what was read.
    var index = 0
    /// Reading failed at bytes that are no UTF-8.
    var isInvalidUTF8 = false
    /// Reading failed at a container deeper than ``maximumDepth``.
    var isTooDeep = false

    /// Reads the object that begins at ``index`` and keeps its members; `false`: it is no valid object.
    mutating func scanObject(into members: inout [JSONMember]) -> Bool {
        members.removeAll(keepingCapacity: true)
        guard skip(UInt8(ascii: "{")) else { return false }
        skipSpaces()
        if skip(UInt8(ascii: "}")) { return true }
        while true {
            let key = scanString()
            guard key.isString else { return false }
            skipSpaces()
            guard skip(UInt8(ascii: ":")) else { return false }
            skipSpaces()
            let value = scanValue()
            guard value.kind != .missing else { return false }
            if members.count < Self.maximumMembers { members.append(JSONMember(key: key, value: value)) }
            skipSpaces()
            if skip(UInt8(ascii: "}")) { return true }
            guard skip(UInt8(ascii: ",")) else { return false }
            skipSpaces()
        }
    }

    /// Reads the value that begins at ``index``; `missing`: it is none.
    mutating func scanValue() -> JSONSlice {
        guard index < count else { return .missing }
        switch base[index] {
        case UInt8(ascii: "\""): return scanString()
        case UInt8(ascii: "{"), UInt8(ascii: "["): return scanContainer()
        case UInt8(ascii: "t"): return scanWord("true", .bool)
        case UInt8(ascii: "f"): return scanWord("false", .bool)
        case UInt8(ascii: "n"): return scanWord("null", .null)
        default: return scanNumber()
        }
    }

    mutating func skipSpaces() {
        while index < count, Self.isSpace(base[index]) { index += 1 }
    }

    static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0D || byte == 0x0A
    }

    private mutating func skip(_ byte: UInt8) -> Bool {
        guard index < count, base[index] == byte else { return false }
        index += 1
        return true
    }

    // MARK: Containers

    /// One bit per open container: set for an object.
    private struct Nesting {
        var depth = 0
        private var low: UInt64 = 0
        private var high: UInt64 = 0

        mutating func open(isObject: Bool) {
            high = high << 1 | low >> 63
            low = low << 1 | (isObject ? 1 : 0)
            depth += 1
        }

        mutating func close() {
            low = low >> 1 | high << 63
            high >>= 1
            depth -= 1
        }

        var isObject: Bool { low & 1 == 1 }
    }

    private mutating func scanContainer() -> JSONSlice {
        let start = index
        let kind: JSONSlice.Kind = base[start] == UInt8(ascii: "{") ? .object : .array
        var collected: JSONSlice.Traits = []
        var nesting = Nesting()
        repeat {
            // A value is due here, or the end of an empty container that was opened in the round before.
            let byte = base[index]
            if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") {
                guard nesting.depth < Self.maximumDepth - 1 else {
                    isTooDeep = true
                    return .missing
                }
                nesting.open(isObject: byte == UInt8(ascii: "{"))
                index += 1
                collected.formUnion(skipSpacesInside())
                guard index < count else { return .missing }
                if base[index] != (nesting.isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
                    if nesting.isObject, !scanKey(&collected) { return .missing }
                    guard index < count else { return .missing }
                    continue
                }
            } else {
                let value = scanValue()
                guard value.kind != .missing else { return .missing }
                collected.formUnion(value.traits)
            }
            guard closeOrGoOn(&nesting, &collected) else { return .missing }
        } while nesting.depth > 0
        return JSONSlice(start: Int32(start), end: Int32(index), kind: kind, traits: collected)
    }

    /// Behind a value: closes containers up to the next comma and goes to the value behind it.
    private mutating func closeOrGoOn(_ nesting: inout Nesting, _ collected: inout JSONSlice.Traits) -> Bool {
        while nesting.depth > 0 {
            collected.formUnion(skipSpacesInside())
            if skip(nesting.isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
                nesting.close()
                continue
            }
            guard skip(UInt8(ascii: ",")) else { return false }
            collected.formUnion(skipSpacesInside())
            if nesting.isObject, !scanKey(&collected) { return false }
            return index < count
        }
        return true
    }

    private mutating func scanKey(_ collected: inout JSONSlice.Traits) -> Bool {
        let key = scanString()
        guard key.isString else { return false }
        collected.formUnion(key.traits)
        collected.formUnion(skipSpacesInside())
        guard skip(UInt8(ascii: ":")) else { return false }
        collected.formUnion(skipSpacesInside())
        return true
    }

    private mutating func skipSpacesInside() -> JSONSlice.Traits {
        let start = index
        skipSpaces()
        return index == start ? [] : .spaces
    }
}

extension JSONScanner {
    // MARK: Strings

    /// Reads the string whose quote stands at ``index``.
    mutating func scanString() -> JSONSlice {
        guard index < count, base[index] == UInt8(ascii: "\"") else { return .missing }
        index += 1
        let start = index
        var traits: JSONSlice.Traits = []
        while true {
            skipPlainText()
            guard index < count else { return .missing }
            let byte = base[index]
            if byte == UInt8(ascii: "\"") {
                index += 1
                return JSONSlice(start: Int32(start), end: Int32(index - 1), kind: .string, traits: traits)
            } else if byte == UInt8(ascii: "\\") {
                guard skipEscape(&traits) else { return .missing }
            } else if byte >= 0x80 {
                let length = UTF8Text.sequenceLength(base + index, count - index)
                guard length > 0 else {
                    isInvalidUTF8 = true
                    return .missing
                }
                if UTF8Text.isControl(base + index, length) { traits.insert(.unsafe) }
                index += length
            } else {
                return .missing
            }
        }
    }

    /// Goes to the next quote, backslash, control or non-ASCII byte, eight bytes at a time.
    private mutating func skipPlainText() {
        let ones: UInt64 = 0x0101_0101_0101_0101
        while index + 8 <= count {
            let word = UnsafeRawPointer(base + index).loadUnaligned(as: UInt64.self).littleEndian
            let quotes = word ^ (ones &* 0x22)
            let slashes = word ^ (ones &* 0x5C)
            // The usual "has a zero byte" and "has a byte below n" tests; borrows can only mark bytes above
            // the first true hit.
            let hits =
                ((quotes &- ones) & ~quotes | (slashes &- ones) & ~slashes | (word &- ones &* 0x20) & ~word
                    | word)
                & (ones &* 0x80)
            if hits != 0 {
                index += hits.trailingZeroBitCount >> 3
                return
            }
            index += 8
        }
        while index < count, base[index] != 0x22, base[index] != 0x5C, (0x20..<0x80).contains(base[index]) {
            index += 1
        }
    }

    private mutating func skipEscape(_ traits: inout JSONSlice.Traits) -> Bool {
        traits.insert(.escapes)
        guard index + 1 < count else { return false }
        switch base[index + 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            index += 2
            return true
        case UInt8(ascii: "u"):
            guard index + 6 <= count, let unit = UTF8Text.hexUnit(base + index + 2) else { return false }
            if unit & 0xF800 == 0xD800 { traits.insert(.unsafe) }
            index += 6
            return true
        default: return false
        }
    }

    // MARK: Numbers and words

    private mutating func scanNumber() -> JSONSlice {
        let start = index
        if base[index] == UInt8(ascii: "-") { index += 1 }
        let first = index
        guard skipDigits(), base[first] != UInt8(ascii: "0") || index == first + 1 else { return .missing }
        var kind = JSONSlice.Kind.integer
        var isHuge = false
        if index < count, base[index] == UInt8(ascii: ".") {
            index += 1
            kind = .number
            guard skipDigits() else { return .missing }
        }
        if index < count, base[index] | 0x20 == UInt8(ascii: "e") {
            index += 1
            kind = .number
            if index < count, base[index] == UInt8(ascii: "+") || base[index] == UInt8(ascii: "-") {
                index += 1
            }
            let digits = index
            guard skipDigits() else { return .missing }
            isHuge = index - digits > 2
        }
        isHuge = isHuge || index - start > JSONScanner.plainNumberBytes
        return JSONSlice(
            start: Int32(start), end: Int32(index), kind: kind, traits: isHuge ? .unsafe : [])
    }

    /// Numbers with more characters, or with an exponent of three digits, may be beyond a double.
    static let plainNumberBytes = 200

    private mutating func skipDigits() -> Bool {
        let start = index
        while index < count, base[index] &- 48 < 10 { index += 1 }
        return index > start
    }

    private mutating func scanWord(_ word: StaticString, _ kind: JSONSlice.Kind) -> JSONSlice {
        let start = index
        let length = word.utf8CodeUnitCount
        guard index + length <= count else { return .missing }
        for place in 0..<length where base[index + place] != word.utf8Start[place] { return .missing }
        index += length
        return JSONSlice(start: Int32(start), end: Int32(index), kind: kind)
    }
}
