import Foundation
import RalphTestSupport
import RalphWire
import Testing

@Suite struct JSONTextTests {
    /// One character at a time, as http-contract 4.2 has it.
    private static func reference(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar.value {
            case 0x22: result += "\\\""
            case 0x5C: result += "\\\\"
            case 0x0A: result += "\\n"
            case 0x0D: result += "\\r"
            case 0x09: result += "\\t"
            case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029:
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
    }

    private static func escaped(_ text: some Sequence<UInt8>) -> String {
        var bytes = Array("before".utf8)
        JSONText.appendEscaped(text, to: &bytes)
        return String(decoding: bytes.dropFirst(6), as: UTF8.self)
    }

    @Test func `every character is escaped as it must be, wherever it stands`() throws {
        let all: [UInt32] =
            Array(0...0x17F) + Array(0x2000...0x2060) + [0x20AC, 0x22A8, 0xFEFF, 0xFFFD, 0x1F680]
        var generator = SeededGenerator(seed: 20_261_125)
        for _ in 0..<2000 {
            let count = Int.random(in: 0...12, using: &generator)
            let text = String(
                String.UnicodeScalarView(
                    (0..<count).compactMap { _ in
                        all.randomElement(using: &generator).flatMap(Unicode.Scalar.init)
                    }))
            let wanted = Self.reference(text)
            #expect(Self.escaped(text.utf8) == wanted)
            // Nothing that lies in one piece.
            #expect(Self.escaped(text.utf8.lazy.map { $0 }) == wanted)
            var string: [UInt8] = []
            JSONText.appendString(text, to: &string)
            #expect(
                try JSONDecoder().decode([String].self, from: Data("[".utf8 + string + "]".utf8)) == [text])
        }
    }

    @Test(
        arguments: [
            .min, .min + 1, -10, -9, -1, 0, 1, 9, 10, 11, 99, 100, 12_345, 1_795_231_236_000, .max - 1, .max,
        ] as [Int64])
    func `an integer has its digits`(_ value: Int64) {
        var bytes = Array("x".utf8)
        JSONText.appendInteger(value, to: &bytes)
        #expect(String(decoding: bytes, as: UTF8.self) == "x\(value)")
    }
}
