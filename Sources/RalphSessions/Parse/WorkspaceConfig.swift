import Foundation
import Yams

/// What of a workspace's `ralph.yml` a reader needs (contract 7.1, 7.2).
package struct WorkspaceConfig: Sendable, Equatable {
    /// One hat.
    package struct Hat: Sendable, Equatable {
        /// Key in the file.
        package let key: String
        /// ``key`` in lower case.
        package let id: String
        /// Display name; the id where the file gives none.
        package let name: String
        /// Topics and topic patterns that call for the hat.
        package let triggers: [String]
        /// Topics that the hat may publish.
        package let publishes: [String]
    }

    /// Larger files are not read.
    private static let maximumBytes = 1 << 20
    private static let ownHat = "ralph"

    /// By the bytes of their keys, the order in which Ralph asks them (contract 2.6): capitals come first.
    package let hats: [Hat]
    /// 0 … 2^32 - 1, as Ralph reads it; Ralph's default is 100.
    package let maxIterations: Int
    /// How long a run waits between two iterations, at most a day; Ralph's default is 0.
    package let cooldownMilliseconds: Int64
    /// Ralph's default is `LOOP_COMPLETE`.
    package let completionPromise: String
    /// `nil`: the feature is off.
    package let cancellationPromise: String?
    /// The topic that begins a run instead of `task.start`.
    package let startingEvent: String?
    /// Relative to the workspace unless absolute; `nil`: Ralph's default (contract 4.5).
    package let scratchpad: String?

    /// Whether runs wait for answers to their questions (`RObot.enabled`); worktree loops never do.
    package let isRobotEnabled: Bool
    /// Whether they wait for a file then (`RObot.mode`), not for a row.
    package let isRobotOnWeb: Bool
    /// `RObot.timeout_seconds`; 0: they wait for ever.
    package let robotTimeoutSeconds: Int?

    /// Reads `<workspace>/ralph.yml`, which may be a link.
    ///
    /// - Returns: `nil` if there is none, it is larger than 1 MiB or it is not a YAML map.
    package static func load(workspace: String) -> WorkspaceConfig? {
        load(file: workspace + "/ralph.yml")
    }

    /// Reads the configuration at `file`, an absolute path that may be a link; see ``load(workspace:)``.
    package static func load(file: String) -> WorkspaceConfig? {
        // Whoever must tell one that cannot be read from none asks below.
        (try? find(file: file)) ?? nil
    }

    /// Like ``load(file:)``.
    ///
    /// - Throws: ``UnreadableFile`` for one that is there and cannot be read.
    static func find(file: String) throws(UnreadableFile) -> WorkspaceConfig? {
        let path = URL(fileURLWithPath: file).resolvingSymlinksInPath().path
        switch BoundedFile.find(path, maximumBytes: maximumBytes) {
        case .content(let bytes): return WorkspaceConfig(yaml: String(decoding: bytes, as: UTF8.self))
        case .none: return nil
        case .unreadable(let reason): throw UnreadableFile(path, reason)
        }
    }

    /// Reads the text of a `ralph.yml`; values of a wrong type count as absent.
    package init?(yaml: String) {
        // Broken YAML is Ralph's to complain about.
        guard let root = try? BoundedYAML.compose(yaml, maximumBytes: Self.maximumBytes), root.mapping != nil
        else { return nil }
        let loop = root["event_loop"]
        maxIterations = Self.count(loop?["max_iterations"]) ?? Self.count(root["max_iterations"]) ?? 100
        let cooldown = Self.integer(loop?["cooldown_delay_seconds"]) ?? 0
        cooldownMilliseconds = Int64(min(max(cooldown, 0), 86_400)) * 1000
        completionPromise =
            Self.text(loop?["completion_promise"]) ?? Self.text(root["completion_promise"]) ?? "LOOP_COMPLETE"
        cancellationPromise = Self.text(loop?["cancellation_promise"])
        startingEvent = Self.text(loop?["starting_event"])
        isRobotEnabled = root["RObot"]?["enabled"]?.bool ?? false
        isRobotOnWeb = Self.text(root["RObot"]?["mode"]) == "web"
        robotTimeoutSeconds = Self.integer(root["RObot"]?["timeout_seconds"]).flatMap { $0 < 0 ? nil : $0 }
        let core = root["core"]
        scratchpad = Self.text(core?["scratchpad"]) ?? Self.text(core?["scratchpad"]?["path"])
        var hats: [Hat] = []
        for (key, value) in root["hats"]?.mapping ?? [:] {
            guard let id = key.string, !id.isEmpty else { continue }
            hats.append(
                Hat(
                    key: id, id: id.lowercased(), name: Self.text(value["name"]) ?? id,
                    triggers: Self.texts(value["triggers"]), publishes: Self.texts(value["publishes"])))
        }
        self.hats = hats.sorted { Self.precedes($0.key, $1.key) }
    }

    /// The first hat that `topic` calls for (contract 2.6).
    package func hat(for topic: String) -> Hat? {
        hats.first { hat in hat.triggers.contains { Self.matches($0, topic) } }
    }

    /// The hat in whose queue events of `topic` wait: Ralph goes through the queues in the order of their keys.
    ///
    /// A hat that asks for everything gets only what no other one asks for. Ralph itself is such a hat.
    package func queue(for topic: String) -> String {
        let taker = hats.first { hat in hat.triggers.contains { $0 != "*" && Self.matches($0, topic) } }
        if let taker { return taker.key }
        let fallback = hats.first { $0.triggers.contains("*") }?.key
        return fallback.flatMap { Self.precedes($0, Self.ownHat) ? $0 : nil } ?? Self.ownHat
    }

    /// Ralph's own order of keys: that of their bytes.
    package static func precedes(_ left: String, _ right: String) -> Bool {
        left.utf8.lexicographicallyPrecedes(right.utf8)
    }

    /// Whether a hat that `topic` calls for yields to one that another topic calls for (contract 2.6).
    package func isEntry(_ topic: String) -> Bool {
        topic == startingEvent || topic == "task.resume" || topic.hasSuffix(".start")
    }

    /// Whether `pattern` covers `topic` (contract 2.6, topic matching).
    package static func matches(_ pattern: String, _ topic: String) -> Bool {
        if pattern == topic || pattern == "*" { return true }
        guard pattern.utf8.contains(UInt8(ascii: "*")) else { return false }
        let wanted = pattern.split(separator: ".", omittingEmptySubsequences: false)
        let given = topic.split(separator: ".", omittingEmptySubsequences: false)
        return wanted.count == given.count && zip(wanted, given).allSatisfy { $0 == "*" || $0 == $1 }
    }

    private static func count(_ node: Node?) -> Int? {
        integer(node).flatMap { UInt32(exactly: $0) }.map(Int.init)
    }

    /// A whole number of YAML 1.2. Yams knows those of base 60 too (`1:30`), and computes them without a bound.
    private static func integer(_ node: Node?) -> Int? {
        guard let text = node?.scalar?.string, !text.contains(":") else { return nil }
        return node?.int
    }

    private static func text(_ node: Node?) -> String? {
        node?.string.flatMap { $0.isEmpty ? nil : $0 }
    }

    private static func texts(_ node: Node?) -> [String] {
        if let single = node?.scalar?.string { return single.isEmpty ? [] : [single] }
        return node?.sequence?.compactMap(\.string) ?? []
    }
}
