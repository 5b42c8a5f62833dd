import RalphSessions

/// What was learnt from files, kept as long as they are the same files unchanged.
///
/// Bounded by ``LibraryLimits/cachedFiles`` and ``LibraryLimits/cachedBytes``; when full, what the list being
/// made has not asked for goes first, then everything.
struct FactsCache: Sendable {
    /// How a file was read; the same file can be read in two ways.
    enum Reading: Hashable, Sendable { case config, prompt, skill }

    /// What came of it.
    enum Facts: Sendable {
        case config(ConfigFacts)
        case prompt(PromptFacts)
        case skill(SkillFacts)

        var cost: Int {
            switch self {
            case .config(let facts): facts.cost
            case .prompt: 200
            case .skill(let facts): facts.cost
            }
        }
    }

    private struct Key: Hashable {
        let status: EntryStatus
        let reading: Reading
    }

    private var entries: [Key: (facts: Facts, generation: Int)] = [:]
    private var bytes = 0
    private var generation = 0

    /// Begins a new list.
    mutating func begin() { generation += 1 }

    mutating func facts(_ status: EntryStatus, _ reading: Reading) -> Facts? {
        let key = Key(status: status, reading: reading)
        guard let entry = entries[key] else { return nil }
        entries[key]?.generation = generation
        return entry.facts
    }

    /// Keeps `facts`, unless the file changed so lately that a further change could leave no trace.
    mutating func keep(_ facts: Facts, _ status: EntryStatus, _ reading: Reading, readAt: Int64) {
        guard status.vouches(forReadAt: readAt) else { return }
        if entries.count >= LibraryLimits.cachedFiles || bytes + facts.cost > LibraryLimits.cachedBytes {
            entries = entries.filter { $0.value.generation == generation }
            bytes = entries.values.reduce(0) { $0 + $1.facts.cost }
        }
        if entries.count >= LibraryLimits.cachedFiles || bytes + facts.cost > LibraryLimits.cachedBytes {
            entries = [:]
            bytes = 0
        }
        let key = Key(status: status, reading: reading)
        bytes += facts.cost - (entries[key]?.facts.cost ?? 0)
        entries[key] = (facts, generation)
    }
}
