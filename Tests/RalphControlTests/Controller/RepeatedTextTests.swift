import Testing

@testable import RalphControl

@Suite struct RepeatedTextTests {
    @Test func `no two texts in a row are equal, however often one comes`() {
        for text in ["use sqlite", "", "a (repeated 2)"] {
            var sent: [String] = []
            for _ in 0..<20 {
                let count = sent.reversed().prefix { RepeatedText.isRepeat($0, of: text) }.count
                sent.append(RepeatedText.numbered(text, after: count))
            }
            #expect(sent.first == text)
            #expect(zip(sent, sent.dropFirst()).allSatisfy { $0 != $1 })
            #expect(Set(sent).count == 20)
        }
    }

    @Test(arguments: [
        ("a", true), ("a (repeated 2)", true), ("a (repeated 12)", true), ("a (repeated )", false),
        ("a (repeated x)", false), ("ab", false), ("a (repeated 2) ", false),
    ])
    func `a repeat is known by its end`(payload: String, isRepeat: Bool) {
        #expect(RepeatedText.isRepeat(payload, of: "a") == isRepeat)
    }
}
