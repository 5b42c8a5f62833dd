import RalphSessions

/// A workspace's configuration, as a client may send it.
enum YAMLFuzz {
    static func run(_ input: FuzzInput) throws(FuzzFinding) {
        let text = String(decoding: input.rest, as: UTF8.self)
        // What is no YAML is refused as such.
        _ = try? BoundedYAML.compose(text, maximumBytes: 4096)
        guard let config = WorkspaceConfig(yaml: text) else { return }
        try promise(config.hats.allSatisfy { !$0.id.isEmpty }, "hats have ids: \(config.hats)")
        try promise(config.robotTimeoutSeconds.map { $0 >= 0 } ?? true, "timeout of \(text)")
    }
}
