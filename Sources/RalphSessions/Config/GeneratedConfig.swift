import Yams

/// Makes the configuration that a run is given: a chosen one with our pause gate (contract 4.4).
///
/// Everything else means what it meant: scalars keep their text and whether they were quoted, since Ralph's
/// reader and ours differ in what plain words are (`yes`). Aliases are written out, imported hats are put in
/// (their paths are relative to the chosen file, and Ralph takes no absolute ones), comments are lost. Other
/// relative paths are relative to the workspace, wherever the file lies (contract 4.7).
package enum GeneratedConfig {
    /// The name of the gate among the hooks.
    package static let gateName = "pause-gate"

    static let hooksKey = "hooks"
    static let phase = "pre.iteration.start"

    /// - Parameters:
    ///   - yaml: the chosen configuration; `nil`: none, all of Ralph's defaults.
    ///   - directory: where that file lies.
    ///   - read: gives the content of an imported file; `nil`: links lead to any file.
    ///   - user: the configuration that Ralph merges under every other; lists are replaced, not joined.
    /// - Throws: what is wrong and in which line; Ralph would refuse such a configuration too.
    package static func make(
        yaml: String?, directory: String, user: String? = nil, read: ((String) -> [UInt8]?)? = nil
    ) throws(GeneratedConfigError) -> String {
        var pairs = try ConfigTree.pairs(ofDocument: yaml ?? "")
        // A broken file of the user's is Ralph's to complain about.
        let userPairs = (try? ConfigTree.pairs(ofDocument: user ?? "")) ?? []
        if let hats = ConfigTree.value("hats", in: pairs), hats.mapping != nil {
            var imports = HatImports(directory: directory)
            if let read { imports.read = read }
            ConfigTree.set("hats", to: try imports.resolve(hats), in: &pairs)
        }
        let userHooks = ConfigTree.value(hooksKey, in: userPairs)
        let hooks = try PauseGate.added(to: ConfigTree.value(hooksKey, in: pairs), user: userHooks)
        ConfigTree.set(hooksKey, to: hooks, in: &pairs)
        return try ConfigTree.text(of: pairs)
    }
}
