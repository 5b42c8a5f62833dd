/// A payload as Ralph looks through it for evidence (contract 2.7); all of it takes linear time.
struct Evidence {
    /// Which of several segments with one name is meant.
    enum Choice { case first, last }

    private let text: [UInt8]

    init(_ payload: [UInt8]) { text = Self.plain(payload) }

    /// Whether `marker` stands anywhere, letter for letter.
    func says(_ marker: StaticString) -> Bool { ByteSearch.holds(text[...], marker) }

    /// How segments of one name begin.
    struct Head {
        let name: String
        fileprivate let bytes: [UInt8]

        /// - Parameter name: in lower case.
        init(_ name: String) {
            self.name = name
            bytes = Array((name + ":").utf8)
        }
    }

    /// The segments between commas and LFs that begin with one of the names and a colon, in any case, behind any
    /// white space.
    func segments(_ heads: [Head], keeping choice: Choice) -> [String: Segment] {
        let lowered = text.map { $0 &- 0x41 < 26 ? $0 | 0x20 : $0 }
        var found: [String: Segment] = [:]
        var start = 0
        while start < lowered.count {
            let end = lowered[start...].firstIndex { $0 == 0x0A || $0 == UInt8(ascii: ",") } ?? lowered.count
            let segment = lowered[start..<end].behindWhiteSpace
            start = end + 1
            for head in heads where segment.starts(with: head.bytes) {
                if choice == .first, found[head.name] != nil { continue }
                found[head.name] = Segment(text: segment)
            }
        }
        return found
    }

    /// `text` without escape sequences, of which Ralph knows three: CSI up to its final byte, OSC up to BEL or ST,
    /// and ESC with one byte. Controls stay.
    private static func plain(_ text: [UInt8]) -> [UInt8] {
        guard text.contains(0x1B) else { return text }
        var plain: [UInt8] = []
        plain.reserveCapacity(text.count)
        var index = 0
        while index < text.count {
            if text[index] == 0x1B {
                index = behindSequence(text, index + 1)
            } else {
                plain.append(text[index])
                index += 1
            }
        }
        return plain
    }

    /// Where the sequence ends whose ESC stands before `index`.
    private static func behindSequence(_ text: [UInt8], _ index: Int) -> Int {
        guard index < text.count else { return index }
        var index = index + 1
        switch text[index - 1] {
        case UInt8(ascii: "["):
            let last = text[index...].firstIndex { (0x40...0x7E).contains($0) }
            return last.map { $0 + 1 } ?? text.count
        case UInt8(ascii: "]"):
            while index < text.count, text[index] != 0x07 {
                if text[index] == 0x1B, index + 1 < text.count, text[index + 1] == UInt8(ascii: "\\") {
                    return index + 2
                }
                index += 1
            }
            return min(index + 1, text.count)
        default: return index
        }
    }
}

extension Evidence {
    /// One claim with its name, in lower case.
    struct Segment {
        fileprivate let text: ArraySlice<UInt8>

        /// Where in the payload it begins.
        var start: Int { text.startIndex }

        func says(_ word: StaticString) -> Bool { ByteSearch.holds(text, word) }

        /// The digits and points from the first digit on.
        var firstNumber: Double? {
            guard let first = text.firstIndex(where: Self.isDigit) else { return nil }
            return Self.number(text[first...].prefix { Self.isDigit($0) || $0 == UInt8(ascii: ".") })
        }

        /// The number right before the first per cent sign; else the first one.
        var percentage: Double? {
            guard let sign = text.firstIndex(of: UInt8(ascii: "%")) else { return firstNumber }
            let head = text[..<sign]
            let before = head.lastIndex { !Self.isDigit($0) && $0 != UInt8(ascii: ".") }
            return Self.number(head[(before.map { $0 + 1 } ?? head.startIndex)...]) ?? firstNumber
        }

        private static func isDigit(_ byte: UInt8) -> Bool { byte &- 48 < 10 }

        /// What digits with at most one point say; too much for a double is infinite.
        private static func number(_ text: ArraySlice<UInt8>) -> Double? {
            Double(String(decoding: text, as: UTF8.self))
        }
    }
}

extension ArraySlice<UInt8> {
    /// Without the white space, in the sense of Unicode, that it begins with.
    fileprivate var behindWhiteSpace: ArraySlice<UInt8> {
        var rest = self
        while let byte = rest.first {
            if byte == 0x20 || (0x09...0x0D).contains(byte) {
                rest = rest.dropFirst()
            } else if byte >= 0x80,
                let scalar = String(decoding: rest.prefix(3), as: UTF8.self).unicodeScalars.first,
                scalar.properties.isWhitespace
            {
                rest = rest.dropFirst(UTF8.width(scalar))
            } else {
                break
            }
        }
        return rest
    }
}
