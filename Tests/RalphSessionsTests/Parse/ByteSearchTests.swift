import Testing

@testable import RalphSessions

struct ByteSearchTests {
    @Test(
        arguments: [
            ("", nil), ("ab", nil), ("abc", 0), ("xabc", 1), ("aabc", 1), ("ababc", 2), ("abcabc", 0),
            ("abxabcx", 3),
        ] as [(String, Int?)])
    func `the first place of a text is found, at the end as well`(bytes: String, offset: Int?) {
        let found = Array("abc".utf8).withUnsafeBytes { part in
            Array(bytes.utf8).withUnsafeBytes { ByteSearch.offset(of: part, in: $0) }
        }

        #expect(found == offset)
        #expect(ByteSearch.holds(Array(bytes.utf8)[...], "abc") == (offset != nil))
    }

    @Test func `a part of an array is looked through alone`() {
        let bytes = Array("abc abc".utf8)

        #expect(!ByteSearch.holds(bytes[1..<6], "abc"))
        #expect(ByteSearch.holds(bytes[4...], "abc"))
    }

    @Test func `an empty text stands nowhere`() {
        let found = Array("abc".utf8).withUnsafeBytes { bytes in
            ByteSearch.offset(of: UnsafeRawBufferPointer(start: nil, count: 0), in: bytes)
        }

        #expect(found == nil)
    }
}
