import RalphWire
import Testing

struct HexadecimalTests {
    @Test func `bytes have two digits each`() {
        #expect(Hexadecimal.text([]) == "")
        #expect(Hexadecimal.text([0x00, 0x0F, 0xA0, 0xFF]) == "000fa0ff")
    }

    @Test func `numbers have all the digits of their type`() {
        #expect(Hexadecimal.text(UInt8(7)) == "07")
        #expect(Hexadecimal.text(UInt16(0xBEE)) == "0bee")
        #expect(Hexadecimal.text(UInt64(1) << 60 | 0xC) == "100000000000000c")
        #expect(Hexadecimal.text(UInt64.max) == "ffffffffffffffff")
    }

    @Test func `digits are read in either case`() {
        let values = "0189afAF/:@G`g".utf8.map(Hexadecimal.value)
        #expect(values == [0, 1, 8, 9, 10, 15, 10, 15] + [UInt8?](repeating: nil, count: 6))
    }

    @Test func `a text of digits has no others, however they look`() {
        #expect(Hexadecimal.isDigits("00aF", count: 4))
        for text in ["00a", "00aFF", "00aG", "a\u{FF21}", "ae\u{301}"] {
            #expect(!Hexadecimal.isDigits(text, count: 4))
        }
    }
}
