import Yams

/// Looks for what a configuration would let Ralph run that is no known agent, and for files outside of the
/// workspace that it would let Ralph write. Aliases count as what they stand for, keys that are there twice are
/// both looked at, and what cannot be read is refused.
package enum ConfigCommands {
    /// Programs that Ralph knows as agents, by the names under which it looks for them (contract 4.7, 7.1).
    package static let backends: Set<String> = [
        "claude", "kiro", "kiro-acp", "gemini", "codex", "forge", "amp", "copilot", "opencode", "pi", "roo",
    ]
    /// Ralph takes the first known agent that it finds (contract 7.1).
    private static let automatic = "auto"
    /// The only argument that a configuration may give to an agent: others name programs, files and rights.
    private static let modelFlag = "--model"
    private static let maximumModelBytes = 100

    /// - Throws: ``RefusedCommand``, the first one; ``GeneratedConfigError`` for what is no configuration.
    package static func check(_ yaml: String) throws {
        guard let root = try ConfigTree.document(yaml) else { return }
        try check(root, .document, "")
    }

    static func check(_ node: Node, _ rule: ConfigRule, _ key: String) throws(RefusedCommand) {
        if ConfigTree.isNull(node) { return }
        switch rule {
        case .value: try scalars([node], key)
        case .values, .backends, .paths: try each(node, rule, key)
        case .map(let rules): try members(node, key) { rules[$0] }
        case .members(let rule): try members(node, key) { _ in rule }
        case .backend: try backend(node, key)
        case .hatBackend where node.mapping != nil:
            let rules: [String: ConfigRule] = [
                "type": .backend, "agent": .backend, "command": .program, "args": .arguments,
            ]
            try members(node, key) { rules[$0] }
        case .hatBackend: try backend(node, key)
        case .program:
            let name = try text(node, key)
            guard backends.contains(name) else { throw RefusedCommand(key: key, what: name) }
        case .arguments: try arguments(node, key)
        case .scratchpad where node.mapping != nil:
            let rules: [String: ConfigRule] = ["enabled": .value, "path": .scratchpad]
            try members(node, key) { rules[$0] }
        case .scratchpad: try scratchpad(try text(node, key), key)
        case .hooks: try hooks(node, key)
        case .nothing: try nothing(node, key)
        }
    }

    // MARK: Shapes

    private static func members(
        _ node: Node, _ key: String, _ rule: (String) -> ConfigRule?
    ) throws(RefusedCommand) {
        guard node.mapping != nil else { throw RefusedCommand(key: key, what: "must be a map") }
        for (name, value) in ConfigTree.list(node) {
            guard let word = name.scalar?.string else {
                throw RefusedCommand(key: key, what: "has a key that is no word")
            }
            let place = key.isEmpty ? word : "\(key).\(word)"
            guard let rule = rule(word) else {
                throw RefusedCommand(key: place, what: "this key is not known")
            }
            try check(value, rule, place)
        }
    }

    private static func each(_ node: Node, _ rule: ConfigRule, _ key: String) throws(RefusedCommand) {
        for node in node.sequence.map(Array.init) ?? [node] {
            switch rule {
            case .backends: try backend(node, key)
            case .paths: try path(try text(node, key), key)
            default: try scalars([node], key)
            }
        }
    }

    private static func scalars(_ nodes: [Node], _ key: String) throws(RefusedCommand) {
        for node in nodes { _ = try text(node, key) }
    }

    private static func text(_ node: Node, _ key: String) throws(RefusedCommand) -> String {
        guard let scalar = node.scalar else { throw RefusedCommand(key: key, what: "must be one value") }
        return scalar.string
    }

    // MARK: What is run

    private static func backend(_ node: Node, _ key: String) throws(RefusedCommand) {
        let name = try text(node, key)
        guard backends.contains(name) || name == automatic else { throw RefusedCommand(key: key, what: name) }
    }

    private static func arguments(_ node: Node, _ key: String) throws(RefusedCommand) {
        guard let sequence = node.sequence else { throw RefusedCommand(key: key, what: "must be a list") }
        var words: [String] = []
        for node in sequence { words.append(try text(node, key)) }
        var rest = words[...]
        while let word = rest.popFirst() {
            if word == modelFlag, let name = rest.popFirst(), isModel(name[...]) { continue }
            if word.hasPrefix(modelFlag + "="), isModel(word.dropFirst(modelFlag.count + 1)) { continue }
            throw RefusedCommand(key: key, what: word)
        }
    }

    private static func isModel(_ name: Substring) -> Bool {
        !name.isEmpty && name.first != "-" && name.utf8.count <= maximumModelBytes
            && name.utf8.allSatisfy { byte in
                UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
                    || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || "-._:/@".utf8.contains(byte)
            }
    }

    private static func hooks(_ node: Node, _ key: String) throws(RefusedCommand) {
        for (phase, list) in ConfigTree.list(node) {
            let place = "\(key).\(phase.scalar?.string ?? "?")"
            for (index, hook) in (list.sequence.map(Array.init) ?? [list]).enumerated() {
                let command = ConfigTree.value("command", in: ConfigTree.list(hook))
                let program = command?.sequence?.first?.scalar?.string ?? command?.scalar?.string
                throw RefusedCommand(key: "\(place)[\(index)].command", what: program ?? "a hook")
            }
        }
        guard node.mapping != nil else { throw RefusedCommand(key: key, what: "must be a map") }
    }

    private static func nothing(_ node: Node, _ key: String) throws(RefusedCommand) {
        if node.mapping?.isEmpty == true || node.sequence?.isEmpty == true { return }
        throw RefusedCommand(key: key, what: "may not be set")
    }

    // MARK: Files

    /// Only below the workspace: absolute paths, homes and parents are elsewhere.
    private static func path(_ path: String, _ key: String) throws(RefusedCommand) {
        let isInside =
            !path.isEmpty && path.utf8.first != UInt8(ascii: "/") && path.utf8.first != UInt8(ascii: "~")
            && !path.utf8.contains(0) && !ConfigPath.parts(of: path).contains("..")
        guard isInside else { throw RefusedCommand(key: key, what: path) }
    }

    /// Ralph deletes it before a run and appends a person's words to it (contract 4.5, 4.6): what others read as
    /// settings or scripts must not be one.
    private static func scratchpad(_ text: String, _ key: String) throws(RefusedCommand) {
        try path(text, key)
        let parts = ConfigPath.parts(of: text)
        let isHidden = parts.enumerated().contains { index, part in
            part.utf8.first == UInt8(ascii: ".") && part != "."
                && !(index == 0 && [SessionDirectory.ralphName, SessionDirectory.agentName].contains(part))
        }
        guard text.hasSuffix(".md"), !isHidden else { throw RefusedCommand(key: key, what: text) }
    }
}
