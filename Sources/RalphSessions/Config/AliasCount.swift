import Foundation

/// What could be anchors, aliases, lists and maps, and keys that are no plain words in a YAML text (YAML 1.2 section
/// 3.2.2.2): at least all of them, and some words in texts that only look so.
struct AliasCount {
    private(set) var anchors = 0
    private(set) var aliases = 0
    private(set) var collections = 0
    /// Lists, maps and aliases that may be keys.
    private(set) var keys = 0
    /// Values as they are spelled.
    private(set) var values = 1

    /// At most so many values does the parser look at to tell keys apart: all that keys hold, aliases followed, and once more
    /// for each level of keys in keys.
    var keyWork: Double {
        let spread = anchors == 0 ? 1 : pow(1 + Double(aliases) / Double(anchors), Double(anchors))
        return Double(aliases == 0 ? min(keys, 2000) : keys) * Double(values) * spread
    }

    /// At most so deep can values lie in each other: the parser allows 1000 levels where they are spelled, each of them a
    /// map in a list, and aliases hang those of several anchors below each other.
    var depth: Int { min(collections, 2000 * (aliases == 0 ? 1 : anchors + 1)) }

    /// Whether the parser's own comparing of keys ends soon, and what it makes can be walked, and let go of, on a stack.
    var isHarmless: Bool {
        depth <= BoundedYAML.maximumDepth && keyWork <= BoundedYAML.maximumKeyWork
    }

    init(_ text: String.UTF8View) {
        let bytes = Array(text)
        var previous: UInt8 = 0x0A
        for (index, byte) in bytes.enumerated() {
            let next = index + 1 < bytes.count ? bytes[index + 1] : 0x0A
            if Self.beginsCollection(byte, next) { collections += 1 }
            if Self.separators.contains(byte) { values += 1 }
            switch byte {
            case UInt8(ascii: "*") where Self.isBreak(previous) && Self.isName(next):
                aliases += 1
                if Self.isKey(bytes, behind: bytes[(index + 1)...].firstIndex { !Self.isName($0) }) {
                    keys += 1
                }
            case UInt8(ascii: "&") where Self.isBreak(previous) && Self.isName(next): anchors += 1
            // In a flow it needs no blank.
            case UInt8(ascii: "?") where Self.isBreak(previous): keys += 1
            // What stands in it without a colon is a key.
            case UInt8(ascii: "{"): keys += 1
            case UInt8(ascii: "]"), UInt8(ascii: "}"):
                if Self.isKey(bytes, behind: index + 1) { keys += 1 }
            default: break
            }
            previous = byte
        }
    }

    /// What begins or parts values: brackets, commas, colons and the ends of lines, of which some have several bytes.
    private static let separators: Set<UInt8> = [0x0A, 0x0D, 0x2C, 0x3A, 0x5B, 0x7B, 0x85, 0xA8, 0xA9]

    /// Whether a colon follows, blanks apart: a key has at most 1024 characters.
    private static func isKey(_ bytes: [UInt8], behind end: Int?) -> Bool {
        guard let end else { return false }
        return bytes[end...].prefix(1024).first { $0 != 0x20 && $0 != 0x09 } == UInt8(ascii: ":")
    }

    /// Whether `byte` can begin a list or a map, or one more of its values.
    private static func beginsCollection(_ byte: UInt8, _ next: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "["), UInt8(ascii: "{"), UInt8(ascii: ":"): true
        case UInt8(ascii: "-"), UInt8(ascii: "?"): isBlank(next) || next >= 0x80
        default: false
        }
    }

    /// Whether the name of an anchor can begin with `byte`.
    private static func isName(_ byte: UInt8) -> Bool {
        UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20 || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
            || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }

    /// Whether a word can begin behind `byte`, which may end a character that the parser takes for a blank (U+0085, U+2028,
    /// U+2029, U+FEFF).
    private static func isBreak(_ byte: UInt8) -> Bool {
        isBlank(byte) || byte == UInt8(ascii: "[") || byte == UInt8(ascii: "{") || byte == UInt8(ascii: ",")
            || byte == UInt8(ascii: "]") || byte == UInt8(ascii: "}") || byte == UInt8(ascii: ":")
            || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") || byte == UInt8(ascii: "?")
            || byte >= 0x80
    }
}
