import RalphWire

extension JSONSlice {
    /// The text that Ralph publishes of a payload (contract 2.4): that of a string, none of `null`, else the value written
    /// anew.
    func publishedText(_ base: UnsafePointer<UInt8>) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(count)
        if isString {
            appendUnescaped(base, to: &text)
        } else if kind != .null {
            appendRewritten(base, to: &text)
        }
        return text
    }

    /// Appends the value as Ralph writes it anew when a payload is no string (contract 2.4): without spaces, members in
    /// the order of their names and each name once, no more escapes than needed. Numbers stay as they are spelled.
    func appendRewritten(_ base: UnsafePointer<UInt8>, to bytes: inout [UInt8]) {
        guard isContainer else { return bytes.append(contentsOf: buffer(base)) }
        var rewriter = JSONRewriter(scanner: JSONScanner(base: base, count: Int(end), index: Int(start)))
        rewriter.appendValue(to: &bytes)
    }
}

/// Reads JSON that a ``JSONScanner`` has found valid, so that it nests only as deep as that allows.
private struct JSONRewriter {
    /// Where a member's name and value stand in the text of its object.
    private struct Member {
        let name: Range<Int>
        let value: Range<Int>
    }

    var scanner: JSONScanner

    mutating func appendValue(to bytes: inout [UInt8]) {
        if takes(UInt8(ascii: "{")) {
            appendMembers(to: &bytes)
        } else if takes(UInt8(ascii: "[")) {
            appendElements(to: &bytes)
        } else {
            let value = scanner.scanValue()
            if value.isString {
                var text: [UInt8] = []
                value.appendUnescaped(scanner.base, to: &text)
                Self.appendString(text[...], to: &bytes)
            } else {
                bytes.append(contentsOf: value.buffer(scanner.base))
            }
        }
    }

    /// Goes behind `byte` if it comes next.
    private mutating func takes(_ byte: UInt8) -> Bool {
        scanner.skipSpaces()
        guard scanner.index < scanner.count, scanner.base[scanner.index] == byte else { return false }
        scanner.index += 1
        return true
    }

    private mutating func appendElements(to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "["))
        if !takes(UInt8(ascii: "]")) {
            appendValue(to: &bytes)
            while takes(UInt8(ascii: ",")) {
                bytes.append(UInt8(ascii: ","))
                appendValue(to: &bytes)
            }
            _ = takes(UInt8(ascii: "]"))
        }
        bytes.append(UInt8(ascii: "]"))
    }

    private mutating func appendMembers(to bytes: inout [UInt8]) {
        // Names and values, one behind the other.
        var text: [UInt8] = []
        var members: [Member] = []
        if !takes(UInt8(ascii: "}")) {
            repeat {
                scanner.skipSpaces()
                let start = text.count
                scanner.scanString().appendUnescaped(scanner.base, to: &text)
                let middle = text.count
                _ = takes(UInt8(ascii: ":"))
                appendValue(to: &text)
                members.append(Member(name: start..<middle, value: middle..<text.count))
            } while takes(UInt8(ascii: ","))
            _ = takes(UInt8(ascii: "}"))
        }
        bytes.append(UInt8(ascii: "{"))
        for (index, member) in Self.sorted(members, text).enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            Self.appendString(text[member.name], to: &bytes)
            bytes.append(UInt8(ascii: ":"))
            bytes.append(contentsOf: text[member.value])
        }
        bytes.append(UInt8(ascii: "}"))
    }

    /// `members` by name, of equal names the last.
    private static func sorted(_ members: [Member], _ text: [UInt8]) -> [Member] {
        let sorted = members.sorted { first, second in
            let isEqual = text[first.name] == text[second.name]
            return isEqual
                ? first.name.lowerBound < second.name.lowerBound
                : text[first.name].lexicographicallyPrecedes(text[second.name])
        }
        var kept: [Member] = []
        for member in sorted {
            if let last = kept.last, text[last.name] == text[member.name] { kept.removeLast() }
            kept.append(member)
        }
        return kept
    }

    private static func appendString(_ text: ArraySlice<UInt8>, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
            case 0x08: bytes.appendASCII("\\b")
            case 0x09: bytes.appendASCII("\\t")
            case 0x0A: bytes.appendASCII("\\n")
            case 0x0C: bytes.appendASCII("\\f")
            case 0x0D: bytes.appendASCII("\\r")
            case ..<0x20:
                bytes.appendASCII("\\u00")
                bytes += Hexadecimal.text([byte]).utf8
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}
