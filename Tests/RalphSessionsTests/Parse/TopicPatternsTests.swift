import RalphTestSupport
import Testing

@testable import RalphSessions

/// Which hats a topic concerns, and how many of them are kept.
@Suite(.timeLimit(.minutes(1))) struct TopicPatternsTests {
    @Test(arguments: [
        ("a.b", "a.b", true), ("*", "a.b.c", true), ("a.*", "a.b", true), ("a.*", "a.b.c", false),
        ("*.b", "a.b", true), ("a.b", "a.c", false), ("a*", "ab", false),
    ]) func `patterns cover topics segment by segment`(pattern: String, topic: String, isCovered: Bool) {
        let patterns = TopicPatterns([[pattern]])
        #expect((patterns.hats(naming: topic) + patterns.everything == [0]) == isCovered)
        #expect(isTopic(topic, coveredBy: pattern) == isCovered)
    }

    private static let words = [
        "*", "a", "a.b", "a.*", "*.b", "*.*", "*.*.*", "a*", "", "..", "*.", "a..*", "\u{E4}.*", "a\u{308}.b",
    ]

    @Test(arguments: words, words)
    func `what is prepared agrees with each pattern by itself`(one: String, other: String) throws {
        let config = try #require(
            WorkspaceConfig(
                yaml: """
                    event_loop: {enforce_hat_scope: true}
                    hats:
                      z: {triggers: ["\(one)"], publishes: ["\(one)", "\(other)", x]}
                      b: {triggers: ["\(other)", x], publishes: ["\(one)"]}
                    """))
        #expect(config.hats.map(\.key) == ["b", "z"] && config.areHatsKnown)
        for topic in Self.words + ["x", "b", "b.b", "a.b.c", "ab", "a.", "\u{E4}.b"] {
            let covers = { (patterns: [String]) in patterns.contains { isTopic(topic, coveredBy: $0) } }
            let named = config.hats.first { covers($0.triggers.filter { $0 != "*" }) }
            // Ralph itself comes between the two.
            let queue = named ?? config.hats.first { $0.key == "b" && $0.triggers.contains("*") }
            let publishers = config.hats.filter { covers($0.publishes) }
            #expect(config.hat(for: topic) == config.hats.first { covers($0.triggers) }, "\(topic)")
            #expect(config.takers(of: topic).queue == queue?.key ?? "ralph", "\(topic)")
            #expect(Set(config.publishers(of: topic).map(\.key)) == Set(publishers.map(\.key)), "\(topic)")
            #expect(config.dropsSometimes(topic) == (publishers.count < 2), "\(topic)")
        }
    }

    /// A configuration with so many hats that have so many topics, each of so many bytes.
    private static func yaml(hats: Int, topics: Int, bytes: Int) -> String {
        let topic = "a." + String(repeating: "b", count: bytes - 2)
        let list = Array(repeating: topic, count: topics / 2).joined(separator: ",")
        let members = (1...hats).map { "  h\($0): {triggers: [a.*,\(list)], publishes: [a.*,\(list)]}\n" }
        return "max_iterations: 7\nhats:\n" + members.joined()
    }

    @Test(arguments: [
        (512, 0, 3, true), (513, 0, 3, false), (1, 1022, 3, true), (1, 1024, 3, false), (1, 62, 1024, true),
        (1, 64, 1024, false), (1, 2, 1025, false), (1000, 20, 3, false),
    ]) func `hats beyond what is kept count as not known`(
        hats: Int, topics: Int, bytes: Int, areKnown: Bool
    ) throws {
        let config = try #require(
            WorkspaceConfig(yaml: Self.yaml(hats: hats, topics: topics, bytes: bytes)))
        #expect(config.areHatsKnown == areKnown && config.hats.count == (areKnown ? hats : 0))
        #expect((config.hat(for: "a.b") != nil) == areKnown && config.maxIterations == 7)
    }

    @Test func `a hat of a name that is too long counts as not known`() throws {
        let name = String(repeating: "h", count: 1000)
        for (key, areKnown) in [(name, true), (name + name, false)] {
            let config = try #require(WorkspaceConfig(yaml: "hats:\n  ? \(key)\n  : {triggers: [a.b]}\n"))
            #expect(config.areHatsKnown == areKnown && config.hats.count == (areKnown ? 1 : 0))
        }
    }

    @Test func `a run with more hats than are kept goes by what its rows say`() {
        var reading = Reading(config: Self.yaml(hats: 513, topics: 0, bytes: 3))
        let rows = [
            #"{"ts":"2026-11-21T03:00:00Z","iteration":0,"hat":"loop","topic":"task.start","payload":"p"}"#,
            #"{"ts":"2026-11-21T03:00:01Z","topic":"a.b","payload":null,"triggered":"Builder"}"#,
        ]
        reading.engine(rows.map { $0 + "\n" }.joined())
        #expect(reading.narrator.state.memory.nextHat == "builder")
        #expect(reading.narrator.state.memory.calledHats == nil)
    }
}
