/// A value of a line: where it stands, what it is, and what copying it takes.
///
/// Offsets count from the start of the scanned text, which is at most 1 GiB long. A string's range lies
/// inside its quotes.
struct JSONSlice: Equatable {
    enum Kind: UInt8 {
        case missing, string, object, array, integer, number, bool, null
    }

    /// What a plain copy of the bytes would get wrong.
    struct Traits: OptionSet {
        let rawValue: UInt8
        /// Backslashes inside.
        static let escapes = Traits(rawValue: 1)
        /// A raw U+0080 to U+009F, U+2028 or U+2029 (http-contract 4.2), a surrogate escape that may stand alone,
        /// or a number beyond what a double holds: clients would break on it.
        static let unsafe = Traits(rawValue: 2)
        /// White space between tokens, which may be a line break.
        static let spaces = Traits(rawValue: 4)
    }

    var start: Int32 = 0
    var end: Int32 = 0
    var kind = Kind.missing
    var traits: Traits = []

    /// No value at all.
    static let missing = JSONSlice()

    var count: Int { Int(end - start) }
    var isString: Bool { kind == .string }
    var isContainer: Bool { kind == .object || kind == .array }
}

/// A member of an object.
struct JSONMember {
    var key: JSONSlice
    /// `missing` once somebody has used it.
    var value: JSONSlice
}
