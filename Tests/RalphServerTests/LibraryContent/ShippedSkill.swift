import Foundation
import Yams

/// A `SKILL.md`: front matter between two lines of dashes, then the text (contract 7.4).
struct ShippedSkill {
    /// What the front matter must have here; ralph needs none of it.
    private static let shape = ConfigShape.record(
        [
            "name": .text, "description": .text, "hats": .list(.text), "backends": .list(.backend),
            "tags": .list(.text),
        ], required: ["name", "description", "hats", "backends", "tags"])

    let name: String
    let hats: [String]
    let findings: [String]

    /// Reads `text`; what is wrong with it is in ``findings``.
    init(_ text: String) {
        let parts = text.split(separator: "\n---\n", maxSplits: 1).map(String.init)
        guard text.hasPrefix("---\n"), parts.count == 2 else {
            self.init(findings: ["lacks front matter"])
            return
        }
        // What cannot be read is reported as such.
        guard let root = try? Yams.compose(yaml: String(parts[0].dropFirst(4))) else {
            self.init(findings: ["front matter is no YAML"])
            return
        }
        var findings = Self.shape.check(root, at: "")
        if !parts[1].contains(where: { !$0.isWhitespace }) { findings.append("has no text") }
        self.init(
            name: root["name"]?.string ?? "", hats: PresetHat.texts(root["hats"]), findings: findings)
    }

    private init(name: String = "", hats: [String] = [], findings: [String]) {
        self.name = name
        self.hats = hats
        self.findings = findings
    }
}
