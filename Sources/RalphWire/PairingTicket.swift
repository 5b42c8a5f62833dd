/// A ticket that a person carries to a device to pair it: 128 random bits, good for one use and a few minutes.
///
/// Written as 26 characters of Crockford's base 32 (digits and capitals without I, L, O and U), the highest bits
/// first; the first character has three bits of it. It is no token: it only buys one.
public struct PairingTicket: Sendable, Hashable {
    /// Characters of ``text``.
    public static let characters = 26
    /// Bytes that are read at most, separators included.
    public static let maximumBytes = 128
    /// Characters between two dashes of ``typed``.
    private static let group = 5
    private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)

    private let bits: UInt128

    private init(bits: UInt128) { self.bits = bits }

    /// A new one, from the system's generator of random numbers.
    public static func random() -> PairingTicket {
        var generator = SystemRandomNumberGenerator()
        return PairingTicket(bits: UInt128(generator.next()) << 64 | UInt128(generator.next()))
    }

    /// Reads ``text`` and ``typed`` as people type them: capitals or not, with dashes and spaces anywhere, `I` and
    /// `L` for `1`, `O` for `0`.
    ///
    /// `nil` for anything else; any bytes may be given.
    public init?(utf8 bytes: some Sequence<UInt8>) {
        var bits: UInt128 = 0
        var digits = 0
        for (index, byte) in bytes.enumerated() {
            guard index < Self.maximumBytes else { return nil }
            if byte == UInt8(ascii: "-") || byte == UInt8(ascii: " ") { continue }
            guard let digit = Self.value(of: byte), digits < Self.characters, digits > 0 || digit < 8 else {
                return nil
            }
            bits = bits << 5 | UInt128(digit)
            digits += 1
        }
        guard digits == Self.characters else { return nil }
        self.bits = bits
    }

    /// ``init(utf8:)`` of a text.
    public init?(_ text: some StringProtocol) { self.init(utf8: text.utf8) }

    /// The ticket as 26 characters.
    public var text: String {
        let digits = (0..<Self.characters).map { index in
            Self.alphabet[Int(truncatingIfNeeded: bits >> UInt128(5 * (Self.characters - 1 - index))) & 31]
        }
        return String(decoding: digits, as: UTF8.self)
    }

    /// ``text`` in groups of five with dashes between them, to be read out and typed.
    public var typed: String {
        var result = ""
        for (index, character) in text.enumerated() {
            if index > 0, index % Self.group == 0 { result.append("-") }
            result.append(character)
        }
        return result
    }

    /// What a character stands for, 0 … 31.
    private static func value(of byte: UInt8) -> Int? {
        let isSmall = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
        switch isSmall ? byte - 32 : byte {
        case UInt8(ascii: "I"), UInt8(ascii: "L"): return 1
        case UInt8(ascii: "O"): return 0
        case let capital: return alphabet.firstIndex(of: capital)
        }
    }
}
