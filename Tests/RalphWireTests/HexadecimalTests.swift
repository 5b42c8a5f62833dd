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
}
