import RalphWire
import Testing

struct TerminalTextTests {
    @Test(arguments: [
        ("\u{1b}[31m", #"\u{1b}[31m"#), ("a\nb\r\tc", #"a\u{a}b\u{d}\u{9}c"#),
        ("\u{7f}\u{9b}", #"\u{7f}\u{9b}"#),
        ("\u{85}\u{2028}\u{2029}", #"\u{85}\u{2028}\u{2029}"#), ("\u{202a}\u{202e}", #"\u{202a}\u{202e}"#),
        ("\u{2066}\u{2069}", #"\u{2066}\u{2069}"#), ("\u{0}", #"\u{0}"#),
        ("e\u{1b}\u{301}", "e\\u{1b}\u{301}"),
    ])
    func `what steers a terminal is written with its number`(_ text: (given: String, safe: String)) {
        #expect(TerminalText.safe(text.given) == text.safe)
    }

    @Test(arguments: ["", "plain", "ünï čödé 日本", "👩‍👩‍👧", "a\\u{1b}b", "\u{a0}\u{200d}\u{2065}\u{206a}"])
    func `everything else stays as it is`(_ text: String) {
        #expect(TerminalText.safe(text) == text)
        #expect(TerminalText.safe(TerminalText.safe(text)) == text)
    }
}
