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
        if case .config(let facts)? = cache.facts(file.status, .config) { return facts }
        guard bytesLeft > 0 else { return ConfigFacts(error: Self.later) }
        let now = EntryStatus.now()
        switch read(file, LibraryLimits.yamlBytes, isCut: false) {
        case .found(let read):
            bytesLeft -= read.bytes.count
            let facts = ConfigFacts(read.bytes)
            cache.keep(.config(facts), read.status, .config, readAt: now)
            return facts
        case .tooLarge:
            guard case .found(let head) = read(file, LibraryLimits.headBytes, isCut: true) else { break }
            return ConfigFacts(head: head.bytes)
        case .missing, .outside: break
        }
        return ConfigFacts(error: Self.unreadable)
    }

    mutating func prompt(_ file: LibraryFile) -> PromptFacts {
        if case .prompt(let facts)? = cache.facts(file.status, .prompt) { return facts }
        let now = EntryStatus.now()
        guard case .found(let read) = read(file, LibraryLimits.headBytes, isCut: true) else {
            var facts = PromptFacts([], isCut: false)
            facts.error = Self.unreadable
            return facts
        }
        let facts = PromptFacts(read.bytes, isCut: read.bytes.count == LibraryLimits.headBytes)
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
        let facts = SkillFacts(read.bytes, isCut: read.bytes.count == LibraryLimits.frontMatterBytes)
        cache.keep(.skill(facts), read.status, .skill, readAt: now)
        return facts
    }

    private func read(
        _ file: LibraryFile, _ maximum: Int, isCut: Bool
    ) -> ContainedFile.Outcome<(bytes: [UInt8], status: EntryStatus)> {
        ContainedFile.read(file.file, in: file.place, maximumBytes: maximum, isCut: isCut)
    }
}
