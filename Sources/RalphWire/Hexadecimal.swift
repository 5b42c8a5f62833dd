/// Hexadecimal digits: written in lower case, read in either.
public enum Hexadecimal {
    static let digits = Array("0123456789abcdef".utf8)

    /// Two digits for each byte.
    public static func text(_ bytes: some Sequence<UInt8>) -> String {
        String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// As many digits as a number of its type can have, the most significant one first.
    public static func text<Number: FixedWidthInteger & UnsignedInteger>(_ number: Number) -> String {
        text(withUnsafeBytes(of: number.bigEndian) { Array($0) })
    }

    /// What a digit counts, 0 … 15; `nil`: it is none.
    public static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - 48
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - 87
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - 55
        default: nil
        }
    }

    /// Whether `text` is `count` digits and nothing else.
    public static func isDigits(_ text: some StringProtocol, count: Int) -> Bool {
        text.utf8.count == count && text.utf8.allSatisfy { value($0) != nil }
    }
}
