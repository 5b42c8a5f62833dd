import Yams

/// Reading, changing and writing YAML maps without touching what their scalars mean.
enum ConfigTree {
    /// More nodes than this are no configuration, but aliases of aliases.
    private static let maximumNodes = BoundedYAML.maximumValues

    /// The members of a document that is a map or nothing, aliases written out.
    static func pairs(ofDocument yaml: String) throws(GeneratedConfigError) -> [(Node, Node)] {
        try pairs(of: document(yaml), nil)
    }

    /// The one document of a text, aliases written out; `nil`: there is none.
    static func document(_ yaml: String) throws(GeneratedConfigError) -> Node? {
        if let problem = YAMLMeasure.problem(in: yaml) {
            throw GeneratedConfigError(line: nil, problem: problem.text)
        }
        let root: Node?
        do {
            root = try Yams.compose(yaml: yaml)
        } catch {
            throw GeneratedConfigError(error)
        }
        var left = maximumNodes
        return try root.map { node throws(GeneratedConfigError) in try plain(node, &left) }
    }

    /// The members of a map; none for nothing and `null`.
    ///
    /// - Parameter name: what to call it when it is something else; `nil`: the document.
    static func pairs(of node: Node?, _ name: String?) throws(GeneratedConfigError) -> [(Node, Node)] {
        guard let node, !isNull(node) else { return [] }
        guard node.mapping != nil else {
            throw GeneratedConfigError(
                line: node.mark?.line, problem: "\(name ?? "the configuration") must be a map")
        }
        return list(node)
    }

    /// The members of a map; none for anything else.
    static func list(_ node: Node) -> [(Node, Node)] {
        node.mapping.map { $0.map { ($0.key, $0.value) } } ?? []
    }

    static func value(_ key: String, in pairs: [(Node, Node)]) -> Node? {
        pairs.first { $0.0.string == key }?.1
    }

    /// Replaces the value of `key` where it stands, or adds it at the end.
    static func set(_ key: String, to value: Node, in pairs: inout [(Node, Node)]) {
        set(Node(key, .implicit, .plain), to: value, in: &pairs)
    }

    static func set(_ key: Node, to value: Node, in pairs: inout [(Node, Node)]) {
        if let index = pairs.firstIndex(where: { $0.0.string != nil && $0.0.string == key.string }) {
            pairs[index].1 = value
        } else {
            pairs.append((key, value))
        }
    }

    static func isNull(_ node: Node) -> Bool {
        guard let scalar = node.scalar, scalar.style == .plain else { return false }
        return ["", "~", "null", "Null", "NULL"].contains(scalar.string)
    }

    static func text(of pairs: [(Node, Node)]) throws(GeneratedConfigError) -> String {
        do {
            return try Yams.serialize(node: Node(pairs), width: -1, allowUnicode: true)
        } catch {
            throw GeneratedConfigError(error)
        }
    }

    /// `node` without anchors, and in styles in which the emitter changes nothing.
    private static func plain(_ node: Node, _ left: inout Int) throws(GeneratedConfigError) -> Node {
        left -= 1
        guard left >= 0 else {
            throw GeneratedConfigError(line: nil, problem: "more than \(maximumNodes) values")
        }
        switch node {
        case .scalar(let scalar): return .scalar(plain(scalar))
        case .sequence(let sequence):
            var nodes: [Node] = []
            for node in sequence { nodes.append(try plain(node, &left)) }
            return .sequence(.init(nodes, sequence.tag, sequence.style, sequence.mark))
        case .mapping(let mapping):
            var pairs: [(Node, Node)] = []
            for (key, value) in mapping { pairs.append((try plain(key, &left), try plain(value, &left))) }
            return .mapping(.init(pairs, mapping.tag, mapping.style, mapping.mark))
        case .alias: throw GeneratedConfigError(line: nil, problem: "an alias of nothing")
        }
    }

    private static func plain(_ scalar: Node.Scalar) -> Node.Scalar {
        var style = scalar.style
        var string = scalar.string
        let isPlain = style == .plain
        switch scalar.tag.rawValue {
        // Tags are not written, so the style has to say the same.
        case Tag.Name.str.rawValue, Tag.Name.nonSpecific.rawValue:
            if isPlain, Node(string, .implicit, .plain).tag.rawValue != Tag.Name.str.rawValue {
                style = .doubleQuoted
            }
        case Tag.Name.int.rawValue, Tag.Name.float.rawValue, Tag.Name.bool.rawValue, Tag.Name.null.rawValue:
            style = .plain
        default: break
        }
        // In a flow the emitter would quote nothing, and make a text of it.
        if style == .plain, string.isEmpty { string = "null" }
        // Folding is not always undone in the same way.
        if style == .folded || style == .any { style = .doubleQuoted }
        return Node.Scalar(string, .implicit, style, scalar.mark)
    }
}
