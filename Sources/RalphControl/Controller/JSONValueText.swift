import Foundation

/// A JSON value that came from outside, as text, checked for everything at which Ralph's reader would call the
/// whole row malformed: three such rows end the run (contract 2.5).
struct JSONValueText: Equatable {
    /// Ralph's reader gives up at 128 levels, counted from the row itself.
    private static let maximumDepth = 100

    /// In one line.
    let bytes: [UInt8]
    /// As Ralph hands it to hats, see ``EventRow/payload``.
    let payload: String?
    /// The text, if the value is a string.
    let string: String?

    /// `nil`: no JSON, too deep, a number beyond a double, or half a surrogate pair.
    init?(_ text: String) {
        // Raw line breaks can only stand between tokens of valid JSON.
        let bytes = text.utf8.map { $0 == 0x0A || $0 == 0x0D ? 0x20 : $0 }
        guard Self.depth(of: bytes) <= Self.maximumDepth else { return nil }
        // What is no JSON is told to the caller by the missing value.
        let value = try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)
        guard let value, Self.isPlain(value), !Self.hasLoneSurrogate(bytes) else { return nil }
        self.bytes = bytes
        payload = EventRow.text(of: value)
        string = value as? String
    }

    private static func depth(of bytes: [UInt8]) -> Int {
        var depth = 0
        var deepest = 0
        var isInString = false
        var isEscaped = false
        for byte in bytes {
            if isInString {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isInString = false
                }
            } else if byte == UInt8(ascii: "\"") {
                isInString = true
            } else if byte == UInt8(ascii: "[") || byte == UInt8(ascii: "{") {
                depth += 1
                deepest = max(deepest, depth)
            } else if byte == UInt8(ascii: "]") || byte == UInt8(ascii: "}") {
                depth -= 1
            }
        }
        return deepest
    }

    private static func isPlain(_ value: Any) -> Bool {
        if let list = value as? [Any] { return list.allSatisfy(isPlain) }
        if let object = value as? [String: Any] { return object.values.allSatisfy(isPlain) }
        return (value as? NSNumber).map { $0.doubleValue.isFinite } ?? true
    }

    /// Whether a `\uD800` … `\uDFFF` stands without its other half.
    private static func hasLoneSurrogate(_ bytes: [UInt8]) -> Bool {
        var index = 0
        var high = false
        while index < bytes.count {
            var isHigh = false
            if bytes[index] == UInt8(ascii: "\\") {
                let unit =
                    index + 5 < bytes.count && bytes[index + 1] == UInt8(ascii: "u")
                    ? UInt16(String(decoding: bytes[index + 2...index + 5], as: UTF8.self), radix: 16) : nil
                let kind = (unit ?? 0) & 0xFC00
                if kind == 0xDC00, !high { return true }
                if high, kind != 0xDC00 { return true }
                isHigh = kind == 0xD800
                index += unit == nil ? 2 : 6
            } else {
                if high { return true }
                index += 1
            }
            high = isHigh
        }
        return high
    }
}
