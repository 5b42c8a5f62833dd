import Foundation

/// The evidence that ralph wants in the payload of three topics (contract 2.7).
enum PayloadEvidence {
    /// What ralph publishes instead of a topic whose evidence is missing.
    static let refusals = [
        "build.done": "build.blocked", "review.done": "review.blocked", "verify.passed": "verify.failed",
    ]

    /// Whether ralph lets `topic` through with `payload`.
    static func accepts(_ topic: String, _ payload: String) -> Bool {
        let parts = segments(payload)
        switch topic {
        case "build.done":
            let words = ["tests", "lint", "typecheck", "audit", "coverage"]
            return words.allSatisfy { payload.contains("\($0): pass") }
                && parts["duplication"]?.hasPrefix("pass") == true
                && number(parts["complexity"], isIn: 0...10)
        case "review.done": return payload.contains("tests: pass") && payload.contains("build: pass")
        case "verify.passed":
            return ["tests", "lint", "audit"].allSatisfy { parts["quality.\($0)"] == "pass" }
                && number(parts["quality.coverage"], isIn: 80...100)
                && number(parts["quality.mutation"], isIn: 70...100)
                && number(parts["quality.complexity"], isIn: 0...10)
        default: return true
        }
    }

    /// The payload that `instructions` show for `topic`: the first text in backticks that ralph would accept.
    static func example(of topic: String, in instructions: String) -> String? {
        quoted(in: instructions).first { $0.contains(": pass") && accepts(topic, $0) }
    }

    /// What stands in backticks.
    static func quoted(in text: String) -> [String] {
        text.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            .filter { !$0.offset.isMultiple(of: 2) }.map { String($0.element) }
    }

    /// The parts between commas and line ends, by the word before their first colon.
    private static func segments(_ payload: String) -> [String: String] {
        let parts = payload.split { $0 == "," || $0 == "\n" }.compactMap { part -> (String, String)? in
            let pair = part.split(separator: ":", maxSplits: 1)
            guard pair.count == 2 else { return nil }
            return (
                pair[0].trimmingCharacters(in: .whitespaces), pair[1].trimmingCharacters(in: .whitespaces)
            )
        }
        return Dictionary(parts) { first, _ in first }
    }

    private static func number(_ text: String?, isIn range: ClosedRange<Double>) -> Bool {
        guard let text, let number = Double(text.prefix { $0.isNumber || $0 == "." }) else { return false }
        return range.contains(number)
    }
}
