/// The identity of one session directory, for all its life.
///
/// The first 16 lower-case hex digits of SHA-256 over the canonical path of the session directory
/// (design 2). The same directory has the same id on every start and whoever started its runs.
public struct SessionID: Hashable, Sendable, Codable, Comparable, CustomStringConvertible {
    /// Exactly 16 lower-case hexadecimal digits.
    public let rawValue: String

    /// `nil` unless `text` is exactly 16 lower-case hexadecimal digits.
    public init?(_ text: String) {
        guard text.utf8.count == 16, text.utf8.allSatisfy(Self.isHexDigit) else { return nil }
        self.rawValue = text
    }

    /// The id made of the 64 bits that a digest begins with, most significant digit first.
    public init(digestPrefix: UInt64) {
        self.rawValue = Hexadecimal.text(digestPrefix)
    }

    /// Whether `text` can stand for an id in a request: 8 to 16 lower-case hexadecimal digits.
    public static func isPrefix(_ text: String) -> Bool {
        (8...16).contains(text.utf8.count) && text.utf8.allSatisfy(isHexDigit)
    }

    public var description: String { rawValue }

    public static func < (left: SessionID, right: SessionID) -> Bool { left.rawValue < right.rawValue }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
    }
}
