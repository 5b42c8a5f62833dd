import Foundation
import Yams

/// The hook that suspends a run before its next iteration as long as the gate file is there (contract 4.4).
enum PauseGate {
    /// By its path, as people have programs of that name on theirs; a gate that fails would suspend the run.
    private static let program: String = {
        let places = ["/usr/bin/test", "/bin/test"]
        return places.first { access($0, X_OK) == 0 } ?? "test"
    }()

    /// The gate as a hook. It says all that the defaults of the configuration could change.
    private static func node() -> Node {
        let command = [
            program, "!", "-e", "\(SessionDirectory.ralphName)/\(SessionDirectory.pauseRequestedName)",
        ]
        return Node([
            (plain("name"), text(GeneratedConfig.gateName)),
            (plain("command"), Node(command.map(text))),
            (plain("on_error"), plain("suspend")),
            (plain("suspend_mode"), plain("wait_for_resume")),
            (plain("timeout_seconds"), plain("30")),
        ])
    }

    /// `hooks` with the gate before all others of its phase.
    ///
    /// Hooks that were switched off stay so: as the gate needs them on, the others are left out.
    ///
    /// - Parameter user: the hooks of the configuration that Ralph merges under this one.
    static func added(to hooks: Node?, user: Node?) throws(GeneratedConfigError) -> Node {
        var pairs = try ConfigTree.pairs(of: hooks, "hooks")
        let events = try ConfigTree.pairs(of: ConfigTree.value("events", in: pairs), "hooks.events")
        // What is wrong in the user's own file is Ralph's to complain about.
        let userPairs = (try? ConfigTree.pairs(of: user, "hooks")) ?? []
        let userEvents =
            // As above.
            (try? ConfigTree.pairs(of: ConfigTree.value("events", in: userPairs), "hooks.events")) ?? []
        let enabled = ConfigTree.value("enabled", in: pairs) ?? ConfigTree.value("enabled", in: userPairs)
        var kept: [(Node, Node)] = []
        if try isOn(enabled) {
            kept = events
            let own = ConfigTree.value(GeneratedConfig.phase, in: events)
            let below = ConfigTree.value(GeneratedConfig.phase, in: userEvents)
            let others = try list(own ?? below)
            ConfigTree.set(GeneratedConfig.phase, to: Node([node()] + others), in: &kept)
        } else {
            // An empty list takes the place of what the user's file has for the phase.
            for (key, _) in userEvents { kept.append((key, Node([Node]()))) }
            ConfigTree.set(GeneratedConfig.phase, to: Node([node()]), in: &kept)
        }
        ConfigTree.set("enabled", to: plain("true"), in: &pairs)
        ConfigTree.set("events", to: Node(kept), in: &pairs)
        return Node(pairs)
    }

    /// As Ralph reads a truth value; off is its default.
    private static func isOn(_ node: Node?) throws(GeneratedConfigError) -> Bool {
        guard let node, !ConfigTree.isNull(node) else { return false }
        if let scalar = node.scalar, scalar.style == .plain {
            if ["true", "True", "TRUE"].contains(scalar.string) { return true }
            if ["false", "False", "FALSE"].contains(scalar.string) { return false }
        }
        throw GeneratedConfigError(line: node.mark?.line, problem: "hooks.enabled must be true or false")
    }

    private static func list(_ node: Node?) throws(GeneratedConfigError) -> [Node] {
        guard let node, !ConfigTree.isNull(node) else { return [] }
        guard let sequence = node.sequence else {
            throw GeneratedConfigError(
                line: node.mark?.line, problem: "hooks.events.\(GeneratedConfig.phase) must be a list")
        }
        // The gate of an earlier generation would be asked twice.
        return sequence.filter { $0["name"]?.string != GeneratedConfig.gateName }
    }

    private static func plain(_ value: String) -> Node { Node(value, .implicit, .plain) }

    private static func text(_ value: String) -> Node { Node(value, .implicit, .doubleQuoted) }
}
