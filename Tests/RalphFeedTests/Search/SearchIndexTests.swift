import Foundation
import GRDB
import RalphTestSupport
import RalphWire
import Testing

@testable import RalphFeed

/// Finding, in both ways that there are.
@Suite(.timeLimit(.minutes(1)))
struct SearchIndexTests {
    static let both: [SearchMode] = [.fts5, .like]

    @Test func `the system's SQLite has a full-text index`() throws {
        #expect(try SearchMode.probe() == .fts5)
    }

    @Test(arguments: both)
    func `words are found wherever they stand and phrases in their order`(mode: SearchMode) async throws {
        try await withTemporaryDirectory { directory in
            try await withSearch(in: directory, { $0.mode = mode }) { scene in
                try scene.append("the tests are green", "green are no tests", "error in /src/a_b/main.rs:12")
                try await scene.waitForIndex()

                #expect(try scene.find("tests green").count == 2)
                #expect(try scene.find("TESTS \"are green\"") == ["the tests are green"])
                #expect(try scene.find("tests -no") == ["the tests are green"])
                #expect(try scene.find("gre* erro*") == [])
                #expect(try scene.find("err*") == ["error in /src/a_b/main.rs:12"])
                #expect(try scene.find("a_b/main.rs") == ["error in /src/a_b/main.rs:12"])
                #expect(try scene.find("build.done").count == 3)
                #expect(try scene.find("x OR tests") == [])
            }
        }
    }

    @Test(arguments: both)
    func `texts of every script are found`(mode: SearchMode) async throws {
        try await withTemporaryDirectory { directory in
            try await withSearch(in: directory, { $0.mode = mode }) { scene in
                try scene.append("我们学习机器人", "日本語のテスト", "done 🤖🎉", "naïve café", #"line\nbreak"#)
                try await scene.waitForIndex()

                #expect(try scene.find("机器") == ["我们学习机器人"])
                #expect(try scene.find("器机") == [])
                #expect(try scene.find("テスト") == ["日本語のテスト"])
                #expect(try scene.find("🎉") == ["done 🤖🎉"])
                #expect(try scene.find("café") == ["naïve café"])
                #expect(try scene.find(mode == .fts5 ? "CAFE NAIVE" : "CAFé").count == 1)
                #expect(try scene.find("break") == ["line\nbreak"])
                let hit = try #require(try scene.page("机器").hits.first)
                #expect(hit.snippet.text.contains("我们学习机器人"))
                #expect(hit.snippet.highlights == [4..<6])
            }
        }
    }

    @Test(arguments: both)
    func `operators and signs are text and never an error`(mode: SearchMode) async throws {
        try await withTemporaryDirectory { directory in
            try await withSearch(in: directory, { $0.mode = mode }) { scene in
                try scene.append(#"a \"quoted\" AND (b) it's 100% {x}: y; DROP TABLE entry --"#)
                try await scene.waitForIndex()

                for text in [
                    "AND", "OR a", "NOT a", "NEAR(a b)", "a AND", "(a", "a)", "{topic}: a", "topic:a", "^a",
                    "a + b",
                    "'; DROP TABLE entry; --", "\"a", "a\"", "\"\"a", "a*b", "* a", "-- a", "a -",
                    "100%",
                    "_a\\", "%a%", "a\u{0}b", "\u{1}a\u{2}", "a:*", "a^2",
                    String(repeating: "(", count: 900) + "a",
                    String(repeating: "\"", count: 900) + "a", String(repeating: "学", count: 341),
                ] {
                    #expect(throws: Never.self) { try scene.page(text) }
                }
                #expect(try scene.find("100%").count == 1)
                #expect(try scene.find("AND").count == 1)
            }
        }
    }

    @Test(arguments: both)
    func `filters narrow what is found`(mode: SearchMode) async throws {
        try await withTemporaryDirectory { directory in
            try await withSearch(in: directory, { $0.mode = mode }) { scene in
                try scene.append("word 1", "word 2", "word 3")
                try scene.append("word 4", "word 5", to: 2)
                try await scene.waitForIndex()

                #expect(try scene.find("word", { $0.session = session(2) }) == ["word 5", "word 4"])
                #expect(try scene.find("word", { $0.since = 1_770_000_000_001 }) == ["word 3"])
                #expect(try scene.find("word", { $0.until = 1_770_000_000_000 }) == ["word 4", "word 1"])
                #expect(try scene.find("word", { $0.hat = "nobody" }) == [])
            }
        }
    }

    @Test(arguments: both)
    func `topics are asked about one by one`(mode: SearchMode) async throws {
        try await withTemporaryDirectory { directory in
            try await withSearch(in: directory, { $0.mode = mode }) { scene in
                try scene.append("word 1", "word 2")
                try await scene.waitForIndex()
                let topic = Array("build.done".utf8)
                var request = SearchRequest(try SearchQuery("word"), deadline: .now + .seconds(10))

                request.wantsTopic = { $0 == topic }
                #expect(try scene.index.search(request).hits.count == 2)
                request.wantsTopic = { $0 != topic }
                #expect(try scene.index.search(request).hits.isEmpty)
            }
        }
    }

    @Test(arguments: both)
    func `pages go back in time whatever arrives`(mode: SearchMode) async throws {
        try await withTemporaryDirectory { directory in
            try await withSearch(in: directory, { $0.mode = mode }) { scene in
                try scene.append("word 1", "word 2", "word 3", "word 4", "word 5")
                try await scene.waitForIndex()
                var request = SearchRequest(try SearchQuery("word"), deadline: .now + .seconds(10))
                request.limit = 2
                var found: [Int64] = []
                for number in 6...8 {
                    let page = try scene.index.search(request)
                    found += page.hits.map(\.globalID)
                    request.before = page.next
                    try scene.append("word \(number)")
                    try await scene.waitForIndex()
                }

                #expect(found == [5, 4, 3, 2, 1])
                #expect(request.before == nil)
            }
        }
    }

    @Test func `a search that is over its time ends`() async throws {
        try await withTemporaryDirectory { directory in
            try await withSearch(in: directory, ring: 20_000) { scene in
                try scene.feed.append([append(batch(20_000))])
                try await scene.waitForIndex()

                var request = SearchRequest(try SearchQuery("build"), deadline: .now)
                #expect(throws: SearchError.timeout) { try scene.index.search(request) }
                // The first row takes all of the time, however fast the machine is.
                let deadline = ContinuousClock.now + .milliseconds(20)
                request.deadline = deadline
                request.wantsTopic = { _ in
                    while ContinuousClock.now < deadline {}
                    return false
                }
                #expect(throws: SearchError.timeout) { try scene.index.search(request) }
                #expect(try scene.page("build").hits.count == 50)
            }
        }
    }
}
