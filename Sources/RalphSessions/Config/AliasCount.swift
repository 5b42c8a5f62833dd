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
        guard keys > 0 else { return 0 }
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
        // How many anchors there are of each name that no alias has named yet.
        var unnamed: [ArraySlice<UInt8>: Int] = [:]
        // So many bytes are looked at to find out which maps have plain keys only; others may have any.
        var budget = 1 << 21
        for (index, byte) in bytes.enumerated() {
            let next = index + 1 < bytes.count ? bytes[index + 1] : 0x0A
            if Self.beginsCollection(byte, next) { collections += 1 }
            if Self.separators.contains(byte) { values += 1 }
            switch byte {
            case UInt8(ascii: "*") where Self.isBreak(previous),
                UInt8(ascii: "&") where Self.isBreak(previous):
                note(bytes, at: index, &unnamed)
            // In a flow it needs no blank.
            case UInt8(ascii: "?") where Self.isBreak(previous): keys += 1
            // What stands in it without a colon is a key.
            case UInt8(ascii: "{"):
                if !Self.hasPlainKeys(bytes[index...].prefix(1024), &budget) { keys += 1 }
            case UInt8(ascii: "]"), UInt8(ascii: "}"):
                if Self.isKey(bytes, behind: index + 1) { keys += 1 }
            default: break
            }
            previous = byte
        }
    }

    /// Counts what can be an anchor or an alias. Nobody follows an anchor that no alias names, and at an alias of nothing, as at
    /// a name that ends otherwise, the parser fails.
    private mutating func note(
        _ bytes: [UInt8], at index: Int, _ unnamed: inout [ArraySlice<UInt8>: Int]
    ) {
        let end = bytes[(index + 1)...].firstIndex { !Self.isName($0) } ?? bytes.endIndex
        let name = bytes[(index + 1)..<end]
        guard !name.isEmpty, end == bytes.endIndex || Self.endsName(bytes[end]) else { return }
        if bytes[index] == UInt8(ascii: "&") {
            unnamed[name, default: 0] += 1
        } else if let count = unnamed[name] {
            aliases += 1
            anchors += count
            unnamed[name] = 0
            if Self.isKey(bytes, behind: end) { keys += 1 }
        }
    }

    /// Whether the map that `text` begins with ends in it, and certainly has no list, map or alias for a key. What lies in its
    /// values is looked at by itself.
    private static func hasPlainKeys(_ text: ArraySlice<UInt8>, _ budget: inout Int) -> Bool {
        var open: [UInt8] = []
        var previous: UInt8 = 0
        var isQuoted = false
        for byte in text.prefix(max(0, budget)) {
            budget -= 1
            if !isQuoted, isBlank(byte) { continue }
            switch byte {
            case UInt8(ascii: "\\") where isQuoted: return false
            case UInt8(ascii: "\"") where isQuoted: isQuoted = false
            case _ where isQuoted: continue
            case UInt8(ascii: "\""):
                guard "{[,:".utf8.contains(previous) else { return false }
                isQuoted = true
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                let isInList = open.last == UInt8(ascii: "[") && "[,".utf8.contains(previous)
                guard open.isEmpty || isInList || previous == UInt8(ascii: ":") else { return false }
                open.append(byte)
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                guard open.popLast() == byte - 2 else { return false }
                if open.isEmpty { return true }
            default: if byte >= 0x80 || "'#*&!?|>%@`\\".utf8.contains(byte) { return false }
            }
            previous = byte
        }
        return false
    }

    private static func endsName(_ byte: UInt8) -> Bool {
        isBlank(byte) || byte == 0 || byte >= 0x80 || "?:,]}%@`".utf8.contains(byte)
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
