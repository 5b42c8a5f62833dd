/// Output of a program that ran on a pseudo terminal (contract 4.8), made plain.
package struct TerminalOutput: Sendable, Equatable {
    /// Where in a line end or an escape sequence (ECMA-48) the output stands that has come.
    package enum Place: UInt8, Sendable, Codable {
        case text
        /// Behind a CR, which was a line end.
        case carriageReturn
        case escape
        /// Behind an escape and intermediate bytes.
        case intermediate
        case controlSequence
        case controlString
        /// Behind an escape in a control string.
        case stringEscape
    }

    private static let escape: UInt8 = 0x1B

    /// May be kept, so that output which comes in pieces is made plain as a whole.
    package private(set) var place: Place

    package init(place: Place = .text) { self.place = place }

    /// `bytes` with line ends as LF and without escape sequences and other controls than tabs.
    package static func plain(_ bytes: [UInt8]) -> [UInt8] {
        var output = TerminalOutput()
        return output.plain(bytes)
    }

    /// The next piece, made plain; a sequence that it begins may end in a later one.
    package mutating func plain(_ bytes: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count)
        for byte in bytes where !takes(byte) {
            switch byte {
            case Self.escape: place = .escape
            case 0x0D:
                text.append(0x0A)
                place = .carriageReturn
            case 0x09, 0x0A, 0x20...0x7E, 0x80...: text.append(byte)
            default: break
            }
        }
        return text
    }

    /// Whether `byte` belongs to what began before it; otherwise that is over.
    private mutating func takes(_ byte: UInt8) -> Bool {
        switch place {
        case .text: return false
        case .carriageReturn: return ends(byte == 0x0A)
        case .escape:
            switch byte {
            case UInt8(ascii: "["): place = .controlSequence
            case UInt8(ascii: "]"), UInt8(ascii: "P"), UInt8(ascii: "_"), UInt8(ascii: "^"),
                UInt8(ascii: "X"):
                place = .controlString
            case 0x20...0x2F: place = .intermediate
            default: return ends((0x30...0x7E).contains(byte))
            }
            return true
        case .intermediate: return (0x20...0x2F).contains(byte) || ends((0x30...0x7E).contains(byte))
        case .controlSequence: return (0x20...0x3F).contains(byte) || ends((0x40...0x7E).contains(byte))
        case .controlString:
            // BEL or ST ends it, and a line end cuts it off.
            if byte == Self.escape { place = .stringEscape }
            return byte != 0x07 && byte != 0x0A || ends(byte == 0x07)
        case .stringEscape:
            if byte == UInt8(ascii: "\\") { return ends(true) }
            place = .escape
            return takes(byte)
        }
    }

    /// `isPart`: whether the byte that ends it is a part of it.
    private mutating func ends(_ isPart: Bool) -> Bool {
        place = .text
        return isPart
    }
}
