import Testing

@testable import RalphServer

struct HashChainTests {
    @Test func `a hash is that of the one before and the record`() {
        var chain = HashChain()
        #expect(chain.text == String(repeating: "0", count: 64))
        chain.add(Array("abc".utf8))
        let first = chain
        chain.add(Array("abc".utf8))
        #expect(first != chain)
        #expect(HashChain(first.text) == first)
        #expect(first.text == "365aa7d8f7f9402c4b9434502b4cc89ddb09fe50d7cd95b493b834c62d5a5370")
    }

    @Test(arguments: ["", "0", String(repeating: "A", count: 64), String(repeating: "0", count: 65), "g"])
    func `what is no hash is refused`(_ text: String) {
        #expect(HashChain(text) == nil)
    }
}
