import Testing

@testable import RalphFeed

struct SearchTextTests {
    @Test(arguments: [
        ("plain a_b.c", "plain a_b.c"),
        ("a\u{1}b\u{2}c\u{1F}d\n", "a b c d "),
        ("é ü", "é ü"),
        ("学x", "|学|x"),
        ("ok🤖", "ok|🤖|"),
        ("", ""),
    ])
    func `characters that are words of their own stand alone`(_ text: String, _ expected: String) {
        let prepared = SearchText.prepare(Array(text.utf8))
        let shown = String(decoding: prepared, as: UTF8.self).replacing("\u{1F}", with: "|")
        #expect(shown == expected)
    }

    @Test(arguments: 1...12)
    func `a cut text is valid UTF-8 of at most that length`(limit: Int) {
        let prepared = SearchText.prepare(Array("a学é🤖b".utf8), limit: limit)
        #expect(prepared.count <= limit)
        #expect(String(validating: prepared, as: UTF8.self) != nil)
    }

    @Test func `the members of an event are found and their texts unescaped`() {
        let json = #"{"id":"x","data":{"a":["b\"}"]},"n":1,"payload":"l\"\u00e9\ud83e\udd16\\n","ok":true}"#
        var found: [String: String] = [:]
        Array(json.utf8).withUnsafeBytes { bytes in
            var members = EventMembers(bytes)
            while let (key, value) = members.next() {
                found[key] = String(decoding: members.text(value, limit: 1000), as: UTF8.self)
            }
        }

        #expect(found["payload"] == "l\"é🤖\\n")
        #expect(found["data"] == #"{"a":["b"}"]}"#)
        #expect(found["n"] == "1")
        #expect(found["ok"] == "true")
        #expect(found.count == 5)
    }

    @Test func `a snippet counts its highlights in UTF-16 and is cut around the first`() {
        let short = SearchSnippet(marked: Array("🤖 \u{1}done\u{2} é\u{1F}\u{1}x\u{2}".utf8))
        #expect(short.text == "🤖 done éx")
        #expect(short.highlights == [3..<7, 9..<10])

        let long = String(repeating: "a", count: 1000) + "\u{1}b\u{2}" + String(repeating: "c", count: 1000)
        let cut = SearchSnippet(marked: Array(long.utf8))
        #expect(cut.text.unicodeScalars.count == SearchSnippet.maximumScalars + 2)
        #expect(cut.text.hasPrefix("…a") && cut.text.hasSuffix("c…"))
        #expect(cut.highlights == [81..<82])
    }
}
