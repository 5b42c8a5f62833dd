import RalphWire
import Testing

struct FindingTests {
    @Test func `a finding is one line, and its advice another`() {
        #expect(Finding.ok("bind", "127.0.0.1").text == "ok    bind          127.0.0.1")
        #expect(Finding.warn("key", "short", "Take another.").text.hasSuffix("short\n        Take another."))
        #expect(Finding.fail("key", "none", "Make one.").text.hasPrefix("fail  key "))
    }

    @Test(arguments: [
        ("\u{1B}[31mred", "\\u{1b}[31mred"), ("a\r\nb", "a\\u{d}\\u{a}b"), ("\u{202E}x", "\\u{202e}x"),
        ("\u{9B}2J", "\\u{9b}2J"), ("Zoë 日本", "Zoë 日本"), ("\u{2028}", "\\u{2028}"),
    ])
    func `nothing that a terminal obeys is shown as it is`(text: String, shown: String) {
        #expect(Finding.ok("a", text).found == shown)
        #expect(Finding.warn("a", "b", text).advice == shown)
    }

    @Test func `a long text is cut`() {
        let found = Finding.ok("a", String(repeating: "x", count: 10_000)).found

        #expect(found.count == Finding.maximumCharacters + 1)
        #expect(found.hasSuffix("…"))
    }

    @Test func `a secret is taken out of every text`() {
        let finding = Finding.warn("s3cret", "it is s3cret-word", "not s3cret-word!")
            .hiding("s3cret-word")

        #expect(finding == Finding.warn("s3cret", "it is [key]", "not [key]!"))
        for short in ["", "i", "not"] { #expect(finding.hiding(short) == finding) }
    }

    @Test func `the worst finding decides`() {
        #expect(Diagnosis([]).status == .ok)
        #expect(Diagnosis([.ok("a", "b"), .warn("a", "b", "c")]).status == .warn)
        #expect(Diagnosis([.fail("a", "b", "c"), .ok("a", "b")]).status == .fail)
    }
}
