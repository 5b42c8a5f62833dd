/// Lower-case hexadecimal digits.
public enum Hexadecimal {
    private static let digits = Array("0123456789abcdef".utf8)

    /// Two digits for each byte.
    public static func text(_ bytes: some Sequence<UInt8>) -> String {
        String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// As many digits as a number of its type can have, the most significant one first.
    public static func text<Number: FixedWidthInteger & UnsignedInteger>(_ number: Number) -> String {
        text(withUnsafeBytes(of: number.bigEndian) { Array($0) })
    }
}
