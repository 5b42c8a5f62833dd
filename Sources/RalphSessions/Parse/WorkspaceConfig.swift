import Foundation
import Synchronization
import Yams

/// What of a run's configuration, such as its workspace's `ralph.yml`, a reader needs (contract 7.1, 7.2).
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
        /// What Ralph publishes for it where it publishes nothing.
        package let defaultPublishes: String?
        /// How many agents of it may work at the same time, in a wave; Ralph's default is 1.
        package let concurrency: Int
        /// How long each of these may take, seconds, at most a day; Ralph's default is 300.
        package let waveSeconds: Int
    }

    /// The topic by which Ralph calls on itself, with a continued run and where nothing else waits.
    package static let resumption = "task.resume"

    /// What a run goes by where there is no file, not even the user's.
    package static let defaults = WorkspaceConfig(yaml: nil, user: "{}")

    /// Larger files are not read.
    private static let maximumBytes = 1 << 20
    /// What is kept of hats: each row is held against their topics, and their words are stored with the session's state.
    static let maximumHats = 512
    /// Topics and patterns of all hats.
    static let maximumTopics = 1024
    /// As much as is read of a row's topic.
    static let maximumWordBytes = 1024
    /// Bytes of all words together.
    static let maximumWordsBytes = 64 << 10
    private static let ownHat = "ralph"
    /// What ``promptFile`` is by default (contract 7.1).
    package static let standardPromptFile = "PROMPT.md"

    /// By the bytes of their keys, the order in which Ralph asks them (contract 2.6): capitals come first.
    package let hats: [Hat]
    /// Whether these are all; else they are of a collection that only Ralph has, or beyond what is kept.
    package let areHatsKnown: Bool
    private let triggers: TopicPatterns
    private let publishes: TopicPatterns
    /// 0 … 2^32 - 1, as Ralph reads it; Ralph's default is 100.
    package let maxIterations: Int
    /// How long a run may take, suspensions included, seconds, at most a hundred years; Ralph's default is four hours.
    package let maxRuntimeSeconds: Int
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
    /// Where a run that is given no prompt has it from: relative to the workspace unless absolute; `nil`: the text stands in
    /// the configuration itself.
    package let promptFile: String?

    /// Whether a hat's events count only if it is said to publish them (contract 2.5).
    package let enforcesHatScope: Bool
    /// Whether runs wait for answers to their questions (`RObot.enabled`); worktree loops never do.
    package let isRobotEnabled: Bool
    /// Whether they wait for a file then (`RObot.mode`), not for a row.
    package let isRobotOnWeb: Bool
    /// `RObot.timeout_seconds`; 0: they wait for ever.
    package let robotTimeoutSeconds: Int?

    /// Whether the file itself is there, and not only the user's, which lies below it.
    package let hasFile: Bool

    /// Absolute paths of the files that hats import, also of those that are not there.
    private(set) var importedFiles: [String] = []

    /// Reads the configuration at `file`, an absolute path that may be a link.
    ///
    /// - Returns: as ``load(files:user:)``.
    package static func load(file: String) -> WorkspaceConfig? { load(files: [file]) }

    /// Like ``load(_:user:)`` of a run that was given nothing else.
    package static func load(files: [String], user: String? = nil) -> WorkspaceConfig? {
        load(ConfigurationLayers(files: files), user: user)
    }

    /// Reads what lies over each other in a run's configuration; paths may be links.
    ///
    /// - Parameter user: the user's own one, which Ralph merges under every other (contract 7.1).
    /// - Returns: `nil` if there is none, not even the user's, the first is not a YAML map, or it is at an address; one
    ///   that is larger than 1 MiB is not there.
    package static func load(_ layers: ConfigurationLayers, user: String?) -> WorkspaceConfig? {
        // Whoever must tell one that cannot be read from none asks below.
        (try? find(layers, user: user)) ?? nil
    }

    /// Like ``load(_:user:)``.
    ///
    /// - Throws: ``UnreadableFile`` for one that is there and cannot be read; the user's is passed over then.
    static func find(_ layers: ConfigurationLayers, user: String?) throws(UnreadableFile) -> WorkspaceConfig?
    {
        if layers.isRemote { return nil }
        var found: (file: String, text: String)?
        for file in layers.files where found == nil { found = try Self.text(of: file).map { (file, $0) } }
        var imports = KnownImports()
        var collection: HatCollection?
        if let hats = layers.hats {
            let root = hats.hasPrefix("/") ? try Self.text(of: hats).flatMap(Self.root(of:)) : nil
            collection =
                root.map { HatCollection(imports.resolved($0, of: hats)) } ?? HatCollection(unread: hats)
        }
        var own: Node?
        if let found {
            // Broken YAML is Ralph's to complain about.
            guard let root = Self.root(of: found.text) else { return nil }
            own = imports.resolved(root, of: found.file)
        }
        var config = WorkspaceConfig(
            own, over: user.flatMap(Self.userRoot(at:)), hats: collection,
            promise: layers.completionPromise, scratchpad: layers.scratchpad)
        config?.importedFiles = imports.files
        return config
    }

    /// The text of a configuration, which may be a link; `nil`: there is none, or it is larger than 1 MiB.
    package static func text(of file: String) throws(UnreadableFile) -> String? {
        switch content(of: file) {
        case .content(let bytes): String(decoding: bytes, as: UTF8.self)
        case .none: nil
        case .unreadable(let reason): throw UnreadableFile(file, reason)
        }
    }

    /// The map that the user's own configuration is, read again where the file has become another one.
    private static func userRoot(at user: String) -> Node? {
        userLayer.withLock { layer in
            let status = EntryStatus(behindLinks: user)
            if layer?.path != user || layer?.status != status {
                layer = UserLayer(path: user, status: status, root: nil)
                if status != nil, case .content(let bytes) = content(of: user) {
                    layer?.root = root(of: String(decoding: bytes, as: UTF8.self))
                }
            }
            return layer?.root
        }
    }

    /// The user's own configuration, as it was found last: it lies below that of each session.
    private struct UserLayer {
        let path: String
        let status: EntryStatus?
        var root: Node?
    }

    private static let userLayer = Mutex<UserLayer?>(nil)

    static func content(of file: String) -> BoundedFile.Finding {
        let path = URL(fileURLWithPath: file).resolvingSymlinksInPath().path
        return BoundedFile.find(path, maximumBytes: maximumBytes)
    }

    /// Reads the text of a `ralph.yml`; values of a wrong type count as absent.
    package init?(yaml: String) { self.init(yaml: yaml, user: nil) }

    /// Like ``init(yaml:)``, with the text of the user's own configuration below it; `nil`: there is none.
    package init?(yaml: String?, user: String?) {
        let own = yaml.flatMap(Self.root(of:))
        if yaml != nil, own == nil { return nil }
        self.init(own, over: user.flatMap(Self.root(of:)))
    }

    private init?(
        _ own: Node?, over below: Node?, hats: HatCollection? = nil, promise: String? = nil,
        scratchpad: String? = nil
    ) {
        var layers = [hats?.overlay, own, below].compactMap(\.self)
        // Ralph's defaults lie below all.
        if layers.isEmpty, promise != nil || scratchpad != nil { layers.append(.mapping([:])) }
        guard let root = LayeredNode(layers) else { return nil }
        self.init(
            root, hats: hats?.hats.map { LayeredNode([$0]) } ?? root["hats"],
            areHatsKnown: hats?.isKnown ?? true, promise: promise, scratchpad: scratchpad,
            hasFile: own != nil)
    }

    private init(
        _ root: LayeredNode, hats: LayeredNode?, areHatsKnown: Bool, promise: String?, scratchpad: String?,
        hasFile: Bool
    ) {
        self.hasFile = hasFile
        let found = Self.hats(in: hats)
        let areFew = Self.areFew(found)
        self.hats = areFew ? found : []
        self.areHatsKnown = areHatsKnown && areFew
        triggers = TopicPatterns(self.hats.map(\.triggers))
        publishes = TopicPatterns(self.hats.map(\.publishes))
        let loop = root["event_loop"]
        // Ralph lays the layers over each other first, and then maps the flat keys of version 1 onto these.
        maxIterations = Self.count(root["max_iterations"]) ?? Self.count(loop?["max_iterations"]) ?? 100
        maxRuntimeSeconds =
            Self.seconds(root["max_runtime"]) ?? Self.seconds(loop?["max_runtime_seconds"]) ?? 14_400
        let cooldown = Self.integer(loop?["cooldown_delay_seconds"]) ?? 0
        cooldownMilliseconds = Int64(min(max(cooldown, 0), 86_400)) * 1000
        completionPromise =
            promise ?? Self.text(root["completion_promise"]) ?? Self.text(loop?["completion_promise"])
            ?? "LOOP_COMPLETE"
        cancellationPromise = Self.text(loop?["cancellation_promise"])
        startingEvent = Self.text(loop?["starting_event"])
        let promptFile = Self.text(root["prompt_file"]) ?? Self.text(loop?["prompt_file"])
        self.promptFile =
            loop?["prompt"].flatMap({ Self.string($0.node) }) == nil
            ? promptFile ?? Self.standardPromptFile : nil
        let robot = root["RObot"]
        enforcesHatScope = loop?["enforce_hat_scope"]?.node.bool ?? false
        isRobotEnabled = robot?["enabled"]?.node.bool ?? false
        isRobotOnWeb = Self.text(robot?["mode"]) == "web"
        robotTimeoutSeconds = Self.integer(robot?["timeout_seconds"]).flatMap { $0 < 0 ? nil : $0 }
        let core = root["core"]
        self.scratchpad =
            scratchpad ?? Self.text(core?["scratchpad"]) ?? Self.text(core?["scratchpad"]?["path"])
    }

    /// In Ralph's order.
    private static func hats(in map: LayeredNode?) -> [Hat] {
        (map?.members ?? []).map { key, hat in
            Hat(
                key: key, id: key.lowercased(), name: Self.text(hat["name"]) ?? key,
                triggers: Self.texts(hat["triggers"]), publishes: Self.texts(hat["publishes"]),
                defaultPublishes: Self.text(hat["default_publishes"]),
                concurrency: Self.count(hat["concurrency"]) ?? 1,
                waveSeconds: Self.waveSeconds(hat))
        }.sorted { Self.precedes($0.key, $1.key) }
    }

    /// Whether hats and their words are within what is kept.
    private static func areFew(_ hats: [Hat]) -> Bool {
        let topics = hats.flatMap { $0.triggers + $0.publishes }
        let words = topics + hats.map(\.key) + hats.compactMap(\.defaultPublishes)
        let bytes = words.reduce(0) { $0 + $1.utf8.count }
        return hats.count <= maximumHats && topics.count <= maximumTopics && bytes <= maximumWordsBytes
            && words.allSatisfy { $0.utf8.count <= maximumWordBytes }
    }

    /// The map that `yaml` is; `nil`: it is none.
    static func root(of yaml: String) -> Node? {
        // What is wrong with it, nobody asks here.
        guard let root = try? BoundedYAML.compose(yaml, maximumBytes: maximumBytes), root.mapping != nil
        else { return nil }
        return root
    }

    /// The first hat that `topic` calls for (contract 2.6).
    package func hat(for topic: String) -> Hat? { takers(of: topic).hat }

    /// The hat of this id: of several that differ only in capitals, the one that `topic` calls for.
    package func hat(_ id: String, calledBy topic: String?) -> Hat? {
        if let called = topic.flatMap(hat(for:)), called.id == id { return called }
        return hats.first { $0.id == id }
    }

    /// The first hat that `topic` calls for, and the hat in whose queue its events wait: Ralph goes through the queues in the
    /// order of their keys.
    ///
    /// A hat that asks for everything gets only what no other one asks for. Ralph itself is such a hat.
    func takers(of topic: String) -> (hat: Hat?, queue: String) {
        let named = triggers.hats(naming: topic).min()
        let general = triggers.everything.first
        let first = [named, general].compactMap(\.self).min().map { hats[$0] }
        if let named { return (first, hats[named].key) }
        let fallback = general.map { hats[$0].key }
        return (first, fallback.flatMap { Self.precedes($0, Self.ownHat) ? $0 : nil } ?? Self.ownHat)
    }

    /// The hats that may publish `topic`, in no order.
    func publishers(of topic: String) -> [Hat] {
        Set(publishes.hats(naming: topic) + publishes.everything).map { hats[$0] }
    }

    /// Whether Ralph drops events of `topic` while some hat of the run is at work (contract 2.5).
    package func dropsSometimes(_ topic: String) -> Bool {
        guard enforcesHatScope else { return false }
        return !areHatsKnown || publishers(of: topic).count < hats.count
    }

    /// Ralph's own order of keys: that of their bytes.
    package static func precedes(_ left: String, _ right: String) -> Bool {
        left.utf8.lexicographicallyPrecedes(right.utf8)
    }

    /// Whether a hat that `topic` calls for yields to one that another topic calls for (contract 2.6).
    package func isEntry(_ topic: String) -> Bool {
        topic == startingEvent || topic == Self.resumption || topic.hasSuffix(".start")
    }

    private static func count(_ value: LayeredNode?) -> Int? {
        integer(value).flatMap { UInt32(exactly: $0) }.map(Int.init)
    }

    /// A whole number of YAML 1.2. Yams knows those of base 60 too (`1:30`), and computes them without a bound.
    private static func integer(_ value: LayeredNode?) -> Int? {
        guard let node = value?.node, let text = node.scalar?.string, !text.contains(":") else { return nil }
        return node.int
    }

    private static func waveSeconds(_ hat: LayeredNode) -> Int {
        min(count(hat["timeout"]) ?? count(hat["aggregate"]?["timeout"]) ?? 300, 86_400)
    }

    /// A count of seconds, at most a hundred years.
    private static func seconds(_ value: LayeredNode?) -> Int? {
        let most = 100 * 365 * 86_400
        if let seconds = integer(value) { return seconds < 0 ? nil : min(seconds, most) }
        // More than fits, for ever.
        let digits = value?.node.scalar?.string.utf8 ?? "".utf8
        return !digits.isEmpty && digits.allSatisfy { (0x30...0x39).contains($0) } ? most : nil
    }

    private static func text(_ value: LayeredNode?) -> String? {
        value.flatMap { string($0.node) }.flatMap { $0.isEmpty ? nil : $0 }
    }

    private static func texts(_ value: LayeredNode?) -> [String] {
        if let single = text(value) { return [single] }
        return value?.node.sequence?.compactMap(string) ?? []
    }

    /// `nil` for `null` as well, which says nothing.
    private static func string(_ node: Node) -> String? { ConfigTree.isNull(node) ? nil : node.string }
}
