import RalphWire

/// Percent-decoding (RFC 3986 section 2.1), done exactly once.
enum PercentEncoding {
    /// The text that `encoded` stands for; `nil` if an escape is broken, or the result is no UTF-8 or holds NUL.
    static func decode(_ encoded: Substring, plusIsSpace: Bool = false) -> String? {
        guard encoded.utf8.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }) else {
            return encoded.utf8.contains(0) ? nil : String(encoded)
        }
        var bytes: [UInt8] = []
        var iterator = encoded.utf8.makeIterator()
        while let byte = iterator.next() {
            if byte == UInt8(ascii: "%") {
                guard let high = iterator.next().flatMap(Hexadecimal.value),
                    let low = iterator.next().flatMap(Hexadecimal.value)
                else { return nil }
                bytes.append(high << 4 | low)
            } else {
                bytes.append(plusIsSpace && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        return bytes.contains(0) ? nil : String(validating: bytes, as: UTF8.self)
    }

    /// `text` as one segment of a path: everything but unreserved characters is escaped (RFC 3986 section 2.3).
    static func encode(_ text: String) -> String {
        text.utf8.reduce(into: "") { encoded, byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"), UInt8(ascii: "~"):
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            default: encoded += "%" + Hexadecimal.text([byte]).uppercased()
            }
        }
    }
}
