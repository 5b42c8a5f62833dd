import Foundation
import RalphTestSupport
import Testing

@testable import RalphSessions
@testable import RalphStandIn

/// The stand-in and the server judge by the same rules (contract 2.7), each in its own words.
struct BackpressureTests {
    private static let kinds: [(topic: String, kind: EngineLine.Kind)] = [
        ("build.done", .buildDone), ("review.done", .reviewDone), ("verify.passed", .verifyPassed),
    ]
    private static let whole: [String] = [
        "tests: pass, lint: pass, typecheck: pass, audit: pass, coverage: pass, complexity: 6, duplication: pass",
        "tests: pass, build: pass",
        "quality.tests: pass, quality.lint: pass, quality.audit: pass, quality.coverage: 84%, "
            + "quality.mutation: 75%, quality.complexity: 7",
    ]
    private static let odd: [String] = [
        "performance: no regression", "perf: fail", "specs: fail", "specs: pass, specs: fail",
        "complexity: 11",
        "complexity: max 7", "quality.coverage: 79.5%", "quality.mutation: 90 of 70%", "quality.specs: fail",
        "QUALITY.TESTS: fail", "\u{1B}[32m", "\u{1B}]0;t\u{7}", "\u{1B}c", "\n", ",", "%", "pass", "1.2.3",
        " ", "é", "\u{301}", "\r\n",
        "duplication: fail", "quality.complexity: 10.5", "\u{85}", "tests: pa\u{1B}[0mss",
    ]

    @Test(arguments: zip([0, 1, 2], whole)) func `what the contract shows is accepted`(
        index: Int, text: String
    ) {
        let event = IncomingEvent(topic: Self.kinds[index].topic, payload: text)
        #expect(Backpressure.verdict(on: event) == event)
    }

    @Test func `of random payloads it accepts what the server takes for accepted`() {
        var random = SeededGenerator(seed: 7)
        var accepted = 0
        for _ in 0..<5_000 {
            let index = Int.random(in: 0...2, using: &random)
            var parts = Self.whole[index].components(separatedBy: ", ")
            for _ in 0..<Int.random(in: 0...4, using: &random) {
                let part = Self.odd.randomElement(using: &random) ?? ""
                let place = Int.random(in: 0..<parts.count, using: &random)
                switch Int.random(in: 0...3, using: &random) {
                case 0: parts[place] = part
                case 1: parts[place] += part
                default: parts.insert(part, at: place)
                }
            }
            let text = parts.joined(separator: Bool.random(using: &random) ? ", " : "\n")
            let (topic, kind) = Self.kinds[index]
            let event = IncomingEvent(topic: topic, payload: text)
            let isAccepted = Backpressure.verdict(on: event) == event
            let verdict = BackpressureVerdict(kind, payload: Array(text.utf8), at: 0, iteration: 1)
            #expect(verdict?.isPassed == isAccepted, "\(topic) \(text.debugDescription)")
            accepted += isAccepted ? 1 : 0
        }
        #expect((1_000..<4_000).contains(accepted))
    }
}
