/// The JSON objects of one line, in order.
///
/// Two writers can glue their objects together, and a torn write can stand before a whole one (contract
/// 2.4): `{…}{…}` gives both; text that is no object is stepped over, and behind it only an object that
/// says what and when it is (`topic` or `type`, and `ts` or `timestamp`) counts, lest a part of a torn
/// object pass for an event. Bytes that are no UTF-8 are replaced by U+FFFD.
struct LineScan: ~Copyable {
    /// What the slices of the members count from; changes when a line is repaired.
    private(set) var base: UnsafePointer<UInt8>
    /// Where the newest object begins, in bytes from the start of the line as it stands in the file.
    private(set) var objectStart = 0
    /// Where the newest object stands behind ``base``.
    private(set) var object = 0..<0
    /// The newest object held bytes that are no UTF-8.
    private(set) var isRepaired = false
    /// Nothing stood before the newest object, and nothing stands behind it.
    private(set) var isAlone = false
    /// Something on the line is neither an object nor white space.
    private(set) var sawGarbage = false
    private var count: Int
    private var index = 0
    private var isFirst = true
    private var isAfterGarbage = false
    private var repair: RepairedText?

    init(_ line: UnsafeRawBufferPointer) {
        let bytes = line.bindMemory(to: UInt8.self)
        base = bytes.baseAddress ?? StaticString("").utf8Start
        count = bytes.count
        if count >= 3, base[0] == 0xEF, base[1] == 0xBB, base[2] == 0xBF { index = 3 }
    }

    deinit { repair?.text.deallocate() }

    /// Goes to the next object and reads its members; `false` at the end of the line.
    mutating func next(_ members: inout [JSONMember]) -> Bool {
        while true {
            while index < count, JSONScanner.isSpace(base[index]) { index += 1 }
            guard index < count else { return false }
            var scanner = JSONScanner(base: base, count: count, index: index)
            if base[index] == UInt8(ascii: "{"), scanner.scanObject(into: &members) {
                let start = index
                index = scanner.index
                guard !isAfterGarbage || Self.hasIdentity(members, base) else { continue }
                isAfterGarbage = false
                object = start..<index
                objectStart = repair?.source(of: start) ?? start
                isRepaired = repair?.touches(start..<index) ?? false
                isAlone = isFirst && !sawGarbage && repair == nil && isRestBlank
                isFirst = false
                return true
            }
            if scanner.isInvalidUTF8, repair == nil {
                repairRest()
                continue
            }
            sawGarbage = true
            isAfterGarbage = true
            repeat { index += 1 } while index < count && base[index] != UInt8(ascii: "{")
        }
    }

    private var isRestBlank: Bool {
        var index = index
        while index < count, JSONScanner.isSpace(base[index]) { index += 1 }
        return index == count
    }

    private mutating func repairRest() {
        let repaired = RepairedText(base + index, count - index, from: index)
        repair = repaired
        base = UnsafePointer(repaired.text.baseAddress ?? UnsafeMutablePointer(mutating: base))
        count = repaired.text.count
        index = 0
    }

    private static func hasIdentity(_ members: [JSONMember], _ base: UnsafePointer<UInt8>) -> Bool {
        var hasName = false
        var hasTime = false
        for member in members where member.value.isString {
            let key = member.key
            hasName = hasName || key.spells("topic", base) || key.spells("type", base)
            hasTime = hasTime || key.spells("ts", base) || key.spells("timestamp", base)
        }
        return hasName && hasTime
    }
}
