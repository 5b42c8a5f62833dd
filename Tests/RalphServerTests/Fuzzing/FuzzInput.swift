/// One input, taken apart from its front.
///
/// Parts end with 0xFE, a byte that no UTF-8 text has; so texts stay readable in a corpus, and a mutation of one part
/// leaves the others what they are.
struct FuzzInput {
    private static let mark: UInt8 = 0xFE
    private(set) var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    /// The next byte; 0 where none is left.
    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    /// The next eight bytes as a number.
    mutating func number() -> UInt64 { (0..<8).reduce(0) { number, _ in number << 8 | UInt64(byte()) } }

    /// The bytes up to the next mark; all where there is none.
    mutating func part() -> [UInt8] {
        let part = rest.prefix { $0 != Self.mark }
        rest = rest.dropFirst(part.count + 1)
        return Array(part)
    }

    /// ``part()`` as text; what is no UTF-8 is replaced.
    mutating func text() -> String { String(decoding: part(), as: UTF8.self) }
}
