import Testing

@testable import RalphServer

struct TopicPatternTests {
    @Test(arguments: [
        ("build.*", "build.done", true), ("build.*", "build", false), ("*", "", true), ("?", "", false),
        ("a?c*", "abcd", true), ("*.d?ne", "x.done", true), ("**a**", "bab", true), ("a*b*c", "a-b-b", false),
        ("a", "*", false),
    ])
    func `a star is any text and a question mark one byte`(_ glob: String, _ topic: String, _ covers: Bool)
        throws
    {
        let pattern = try #require(TopicPattern(glob))
        #expect(pattern.matches(Array(topic.utf8)[...]) == covers)
    }

    @Test func `a glob has up to 200 bytes, and one of 200 signs covers as many`() throws {
        let text = String(repeating: "a", count: 200)
        #expect(TopicPattern("") == nil && TopicPattern(text + "a") == nil)
        let pattern = try #require(TopicPattern(text))
        #expect(pattern.matches(Array(text.utf8)[...]) && !pattern.matches(Array(text.utf8.dropFirst())[...]))
    }

    @Test func `a glob that is made for a topic costs about as much as any other`() throws {
        let topic = [UInt8](repeating: UInt8(ascii: "a"), count: 256)[...]
        let plain = try #require(TopicPattern("*b"))
        let made = try #require(TopicPattern("*" + String(repeating: "a", count: 120) + "b"))
        func least(_ pattern: TopicPattern) -> Duration {
            let times = (0..<9).map { _ in
                ContinuousClock().measure { for _ in 0..<20 { _ = pattern.matches(topic) } }
            }
            return times.min() ?? .zero
        }
        // Going back to the last star took a hundred times as long.
        #expect(least(made) < least(plain) * 20)
    }

    @Test(arguments: [
        (#"say \"hi\""#, #"say "hi""#), (#"back\\slash"#, #"back\slash"#), (#"say \"hi\""#, "say ?hi?"),
        (#"a\u2028b"#, "a\u{2028}b"), (#"a\nb"#, "a?b"), ("plain", "pl*"),
    ])
    func `a topic is covered as it reads, and not as it stands in JSON`(escaped: String, glob: String) throws
    {
        let pattern = try #require(TopicPattern(glob))
        #expect([pattern].cover(escaped: Array(escaped.utf8)[...]))
        #expect(![try #require(TopicPattern("other"))].cover(escaped: Array(escaped.utf8)[...]))
        #expect([TopicPattern]().cover(escaped: Array(escaped.utf8)[...]))
    }
}
