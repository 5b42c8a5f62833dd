/// Output of a program that ran on a pseudo terminal (contract 4.8), made plain.
package enum TerminalOutput {
    private static let escape: UInt8 = 0x1B

    /// `bytes` with line ends as LF and without escape sequences (ECMA-48) and other controls than tabs.
    package static func plain(_ bytes: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            switch byte {
            case escape: index = endOfSequence(bytes, index)
            case 0x0D:
                text.append(0x0A)
                index += index + 1 < bytes.count && bytes[index + 1] == 0x0A ? 2 : 1
            case 0x09, 0x0A, 0x20...0x7E, 0x80...:
                text.append(byte)
                index += 1
            default: index += 1
            }
        }
        return text
    }

    /// Just behind the sequence that begins with the escape at `start`.
    private static func endOfSequence(_ bytes: [UInt8], _ start: Int) -> Int {
        var index = start + 1
        guard index < bytes.count else { return index }
        switch bytes[index] {
        case UInt8(ascii: "["):
            index += 1
            while index < bytes.count, (0x20...0x3F).contains(bytes[index]) { index += 1 }
            return index < bytes.count && (0x40...0x7E).contains(bytes[index]) ? index + 1 : index
        case UInt8(ascii: "]"), UInt8(ascii: "P"), UInt8(ascii: "_"), UInt8(ascii: "^"), UInt8(ascii: "X"):
            return endOfString(bytes, index + 1)
        default:
            while index < bytes.count, (0x20...0x2F).contains(bytes[index]) { index += 1 }
            return index < bytes.count && (0x30...0x7E).contains(bytes[index]) ? index + 1 : index
        }
    }

    /// Just behind the BEL or ST that ends a control string, or before the line end that cuts it off.
    private static func endOfString(_ bytes: [UInt8], _ start: Int) -> Int {
        var index = start
        while index < bytes.count, bytes[index] != 0x0A {
            if bytes[index] == 0x07 { return index + 1 }
            if bytes[index] == escape {
                return index + 1 < bytes.count && bytes[index + 1] == UInt8(ascii: "\\") ? index + 2 : index
            }
            index += 1
        }
        return index
    }
}
