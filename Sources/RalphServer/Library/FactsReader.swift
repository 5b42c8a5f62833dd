import RalphSessions

/// What files say, read once per change.
struct FactsReader {
    var cache: FactsCache
    /// Bytes that may still be parsed for this list.
    private var bytesLeft = LibraryLimits.yamlBytesPerList
    private static let unreadable = YAMLProblem("cannot be read")
    private static let later = YAMLProblem("not looked into yet: much of the library has changed at once")

    init(cache: FactsCache) {
        self.cache = cache
        self.cache.begin()
    }

    mutating func config(_ file: LibraryFile) -> ConfigFacts {
        if case .config(let facts)? = cache.facts(file.status, .config),
            facts.isCurrent(in: directory(of: file))
        {
            return facts
        }
        guard bytesLeft > 0 else { return ConfigFacts(error: Self.later) }
        let now = EntryStatus.now()
        switch read(file, LibraryLimits.yamlBytes, isCut: false) {
        case .found(let read):
            bytesLeft -= read.bytes.count
            var imports: [String: EntryStatus?] = [:]
            var isLate = false
            var budget = ImportBudget()
            var facts = ConfigFacts(read.bytes) { found throws(GeneratedConfigError) in
                isLate = isLate || bytesLeft <= 0
                guard !isLate else { return found.hat }
                return try found.merged(within: &budget) { imported($0, of: file, &imports) }
            }
            if isLate { return ConfigFacts(error: Self.later) }
            facts.imports = imports
            facts.directory = directory(of: file)
            if imports.values.allSatisfy({ $0?.vouches(forReadAt: now) != false }) {
                cache.keep(.config(facts), read.status, .config, readAt: now)
            }
            return facts
        case .tooLarge:
            guard case .found(let head) = read(file, LibraryLimits.headBytes, isCut: true) else { break }
            return ConfigFacts(head: head.bytes, size: head.status.size)
        case .missing, .outside: break
        }
        return ConfigFacts(error: Self.unreadable)
    }

    /// The content of what a hat of `file` imports; `nil`: it cannot be read, or may not.
    private mutating func imported(
        _ path: String, of file: LibraryFile, _ imports: inout [String: EntryStatus?]
    ) -> [UInt8]? {
        let path = directory(of: file).appendingPath(path)
        imports.updateValue(EntryStatus(behindLinks: path), forKey: path)
        guard
            case .found(let read) = ContainedFile.read(
                path, in: file.place, maximumBytes: HatImport.maximumBytes)
        else { return nil }
        bytesLeft -= read.bytes.count
        return read.bytes
    }

    /// Where imports of `file` lie below.
    private func directory(of file: LibraryFile) -> String { file.file.pathParts?.parent ?? "/" }

    /// The user's own configuration, wherever links lead, as runs and their sessions have it; `nil`: there is none that
    /// can be used, which is Ralph's to complain about.
    mutating func user(_ path: String) -> ConfigFacts? {
        guard let status = EntryStatus(behindLinks: path), status.kind == .file else { return nil }
        var facts: ConfigFacts
        if case .config(let kept)? = cache.facts(status, .config) {
            facts = kept
        } else {
            let now = EntryStatus.now()
            // Why it cannot be read is Ralph's to say.
            guard let text = (try? WorkspaceConfig.text(of: path)) ?? nil else { return nil }
            let bytes = Array(text.utf8)
            let isRead = bytes.count <= LibraryLimits.yamlBytes
            var hasImports = false
            facts =
                isRead
                ? ConfigFacts(bytes) {
                    hasImports = true
                    return $0.hat
                } : ConfigFacts(head: [], size: Int64(bytes.count))
            // A link may lead to a file that is listed, with what it imports.
            if !hasImports { cache.keep(.config(facts), status, .config, readAt: now) }
        }
        return facts.error == nil ? facts : nil
    }

    mutating func prompt(_ file: LibraryFile) -> PromptFacts {
        if case .prompt(let facts)? = cache.facts(file.status, .prompt) { return facts }
        let now = EntryStatus.now()
        guard case .found(let read) = read(file, LibraryLimits.headBytes, isCut: true) else {
            var facts = PromptFacts([], isCut: false)
            facts.error = Self.unreadable
            return facts
        }
        var facts = PromptFacts(read.bytes, isCut: read.bytes.count == LibraryLimits.headBytes)
        facts.error = facts.error ?? Self.problem(ofSize: read.status.size)
        cache.keep(.prompt(facts), read.status, .prompt, readAt: now)
        return facts
    }

    mutating func skill(_ file: LibraryFile) -> SkillFacts {
        if case .skill(let facts)? = cache.facts(file.status, .skill) { return facts }
        var unknown = SkillFacts([])
        guard bytesLeft > 0 else {
            unknown.error = Self.later
            return unknown
        }
        let now = EntryStatus.now()
        guard case .found(let read) = read(file, LibraryLimits.frontMatterBytes, isCut: true) else {
            unknown.error = Self.unreadable
            return unknown
        }
        bytesLeft -= read.bytes.count
        var facts = SkillFacts(read.bytes, isCut: read.bytes.count == LibraryLimits.frontMatterBytes)
        facts.error = facts.error ?? Self.problem(ofSize: read.status.size)
        cache.keep(.skill(facts), read.status, .skill, readAt: now)
        return facts
    }

    /// What is wrong with a file of so many bytes.
    private static func problem(ofSize size: Int64) -> YAMLProblem? {
        let maximum = LibraryLimits.contentBytes
        return size > Int64(maximum) ? YAMLProblem("more than \(maximum) bytes are not shown") : nil
    }

    private func read(
        _ file: LibraryFile, _ maximum: Int, isCut: Bool
    ) -> ContainedFile.Outcome<(bytes: [UInt8], status: EntryStatus)> {
        ContainedFile.read(file.file, in: file.place, maximumBytes: maximum, isCut: isCut)
    }
}
