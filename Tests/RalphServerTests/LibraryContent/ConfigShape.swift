import Yams

/// What a value in a configuration may be, and what is wrong with one that is not.
indirect enum ConfigShape: Sendable {
    /// Something to read. Plain words that readers of YAML take for something else (`yes`, `1`, `~`) need
    /// quotes.
    case text
    /// The name of an event, possibly with `*` for a segment (contract 2.6).
    case topic
    /// `true` or `false`; other spellings mean different things to different readers.
    case flag
    case whole(ClosedRange<Int>)
    case amount(ClosedRange<Double>)
    case word([String])
    case list(ConfigShape)
    /// Any keys, values of one shape.
    case table(ConfigShape)
    /// Only these keys, and all of `required`.
    case record([String: ConfigShape], required: [String] = [])
    case either([ConfigShape])

    /// What is wrong with `node`, each with its place; nothing if it is as it should be.
    func check(_ node: Node, at place: String) -> [String] {
        switch self {
        case .text: return Self.isText(node) ? [] : ["\(place): must be a text"]
        case .topic: return Self.isTopic(node) ? [] : ["\(place): must be a topic"]
        case .flag:
            return ["true", "false"].contains(node.scalar?.string) && Self.tag(of: node) == .bool
                ? [] : ["\(place): must be true or false"]
        case .whole(let range):
            let isInside = Self.tag(of: node) == .int && node.int.map(range.contains) == true
            return isInside ? [] : ["\(place): must be a whole number in \(range)"]
        case .amount(let range):
            let isNumber = [.int, .float].contains(Self.tag(of: node))
            let isInside = isNumber && node.float.map(range.contains) == true
            return isInside ? [] : ["\(place): must be a number in \(range)"]
        case .word(let words):
            let isKnown = Self.isText(node) && words.contains(node.scalar?.string ?? "")
            return isKnown ? [] : ["\(place): must be one of \(words.joined(separator: ", "))"]
        case .list(let element): return Self.checkList(node, of: element, at: place)
        case .table(let value): return Self.checkTable(node, at: place) { _ in value }
        case .record(let members, let required):
            return Self.checkTable(node, at: place) { members[$0] }
                + required.filter { node[$0] == nil }.map { "\(place): lacks \($0)" }
        case .either(let shapes):
            let isKnown = shapes.contains { $0.check(node, at: place).isEmpty }
            return isKnown ? [] : ["\(place): has none of the known forms"]
        }
    }

    // MARK: Parts

    private static func checkList(_ node: Node, of element: ConfigShape, at place: String) -> [String] {
        guard let list = node.sequence else { return ["\(place): must be a list"] }
        return list.enumerated().flatMap { element.check($1, at: "\(place)[\($0)]") }
    }

    private static func checkTable(
        _ node: Node, at place: String, shape: (String) -> ConfigShape?
    ) -> [String] {
        guard let table = node.mapping else { return ["\(place): must be a mapping"] }
        return table.flatMap { key, value -> [String] in
            guard isText(key), let name = key.scalar?.string else {
                return ["\(place): a key must be a text"]
            }
            let inner = place.isEmpty ? name : "\(place).\(name)"
            guard let shape = shape(name) else { return ["\(inner): is not known"] }
            return shape.check(value, at: inner)
        }
    }

    private static func isText(_ node: Node) -> Bool {
        guard let text = node.scalar?.string else { return false }
        return tag(of: node) == .str && text.contains { !$0.isWhitespace }
    }

    private static func isTopic(_ node: Node) -> Bool {
        guard isText(node), let text = node.scalar?.string else { return false }
        let segments = text.split(separator: ".", omittingEmptySubsequences: false)
        return segments.allSatisfy { segment in
            segment == "*"
                || !segment.isEmpty
                    && segment.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
        }
    }

    private static func tag(of node: Node) -> Tag.Name { Resolver.default.resolveTag(of: node) }
}
