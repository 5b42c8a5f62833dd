/// The members of an event's JSON object, which is valid (``EventBatch``); only what is on its top level.
struct EventMembers {
    private let json: UnsafeRawBufferPointer
    private var index = 1

    /// `json` begins with `{` and ends with `}`; it must outlive this value.
    init(_ json: UnsafeRawBufferPointer) {
        self.json = json
    }

    /// The next member: its key without quotes, and its value as it stands there.
    mutating func next() -> (key: String, value: Range<Int>)? {
        while index < json.count, json[index] != UInt8(ascii: "\"") { index += 1 }
        guard index < json.count else { return nil }
        let keyEnd = end(ofStringAt: index)
        let key = String(decoding: json[index + 1..<max(index + 1, keyEnd - 1)], as: UTF8.self)
        let start = keyEnd + 1
        guard start < json.count else { return nil }
        index = end(ofValueAt: start)
        return (key, start..<index)
    }

    /// The text of the string `value`, or of all that stands in a container: escapes undone, at most `limit` bytes.
    func text(_ value: Range<Int>, limit: Int) -> [UInt8] {
        let isString = json[value.lowerBound] == UInt8(ascii: "\"")
        var index = value.lowerBound + (isString ? 1 : 0)
        let end = isString ? max(index, value.upperBound - 1) : value.upperBound
        var text: [UInt8] = []
        text.reserveCapacity(min(limit, end - index))
        while index < end, text.count < limit {
            let byte = json[index]
            if byte == UInt8(ascii: "\\"), index + 1 < end {
                index = appendEscape(at: index + 1, to: &text)
            } else {
                text.append(byte)
                index += 1
            }
        }
        // A limit may have cut a character in two: take its beginning back as well.
        if text.count >= limit {
            while let last = text.last, last & 0xC0 == 0x80 { text.removeLast() }
            if let last = text.last, last >= 0xC0 { text.removeLast() }
        }
        return text
    }

    /// Appends what the escape whose letter is at `index` stands for, and gives the index behind it.
    private func appendEscape(at index: Int, to text: inout [UInt8]) -> Int {
        switch json[index] {
        case UInt8(ascii: "u"):
            guard var value = hex(at: index + 1) else { break }
            var next = index + 5
            if (0xD800..<0xDC00).contains(value), next + 1 < json.count, json[next] == UInt8(ascii: "\\"),
                json[next + 1] == UInt8(ascii: "u"), let low = hex(at: next + 2),
                (0xDC00..<0xE000).contains(low)
            {
                value = 0x10000 + (value - 0xD800) << 10 + (low - 0xDC00)
                next += 6
            }
            text += Array(String(Unicode.Scalar(value) ?? "\u{FFFD}").utf8)
            return next
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        default: text.append(json[index])
        }
        return index + 1
    }

    private func hex(at index: Int) -> UInt32? {
        guard index + 4 <= json.count else { return nil }
        return UInt32(String(decoding: json[index..<index + 4], as: UTF8.self), radix: 16)
    }

    /// The index behind the string that begins at `start`.
    private func end(ofStringAt start: Int) -> Int {
        var index = start + 1
        while index < json.count, json[index] != UInt8(ascii: "\"") {
            index += json[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        return min(index + 1, json.count)
    }

    /// The index behind the value that begins at `start`.
    private func end(ofValueAt start: Int) -> Int {
        var (index, depth) = (start, 0)
        while index < json.count {
            switch json[index] {
            case UInt8(ascii: "\""):
                index = end(ofStringAt: index)
                if depth == 0 { return index }
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if depth == 0 { return index }
                depth -= 1
                if depth == 0 { return index + 1 }
            case UInt8(ascii: ","): if depth == 0 { return index }
            default: break
            }
            index += 1
        }
        return index
    }
}
