import RalphTestSupport
import Testing

@testable import RalphFeed

struct SearchQueryTests {
    @Test(arguments: [
        ("build done", #""build" AND "done""#),
        (#""build done" x"#, #""build done" AND "x""#),
        ("build -done", #"("build") NOT ("done")"#),
        (#"a -b -"c d" e"#, #"("a" AND "e") NOT ("b" OR "c d")"#),
        ("bui*", #""bui" *"#),
        (#""a b"* c**"#, #""a b" * AND "c" *"#),
        ("--force", #""--force""#),
        ("a OR b", #""a" AND "OR" AND "b""#),
        ("NEAR(a b, 2)", #""NEAR(a" AND "b," AND "2)""#),
        ("text:a ^b (c", #""text:a" AND "^b" AND "(c""#),
        (#"a "b"#, #""a" AND """b""#),
        (#"a"b"#, #""a""b""#),
        ("a - ! b", #""a" AND "b""#),
        ("a\u{0}b", #""a" AND "b""#),
        ("  a\t\n", #""a""#),
    ])
    func `what a person types becomes quoted strings`(_ text: String, _ expected: String) throws {
        #expect(try SearchQuery(text).matchExpression == expected)
    }

    @Test(arguments: ["", "   ", "-a", "-a -\"b c\"", "!!! ...", "*", "\"\"", "-"])
    func `nothing that must be there is refused`(_ text: String) {
        #expect(throws: SearchQuery.Refusal.nothingWanted) { try SearchQuery(text) }
    }

    @Test func `a query has at most 1024 bytes and 32 words`() throws {
        _ = try SearchQuery(String(repeating: "a", count: 1024))
        _ = try SearchQuery(String(repeating: "a ", count: 32))

        #expect(throws: SearchQuery.Refusal.tooLong) { try SearchQuery(String(repeating: "é", count: 513)) }
        #expect(throws: SearchQuery.Refusal.tooManyTerms) {
            try SearchQuery(String(repeating: "a -b ", count: 17))
        }
    }

    @Test func `LIKE takes its own signs literally`() throws {
        let term = try #require(try SearchQuery(#"50%_\x"#).wanted.first)
        #expect(String(decoding: term.likePattern, as: UTF8.self) == #"%50\%\_\\x%"#)
    }
}
