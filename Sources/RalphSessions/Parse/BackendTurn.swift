import RalphWire

/// What a backend's messages of one iteration have used so far, as its own JSON stream says (contract 2.7): the summary of a
/// headless run does not know.
struct BackendTurn: Sendable, Codable, Equatable {
    let iteration: Int
    /// Of the largest prompt, with what the cache held of it.
    private var inputTokens = 0
    private var outputTokens = 0
    /// The largest of one prompt.
    private var cacheReadTokens = 0
    private var cacheWriteTokens = 0
    /// The newest messages, oldest first, at most ``maximumMessages``; several lines can be of one message, and agents that
    /// work side by side write theirs in turns. `nil`: none yet, or stored before more than one was noted.
    private var messages: [Message]?

    /// A line of a message behind so many others counts as a further message.
    private static let maximumMessages = 32

    private struct Message: Codable, Equatable {
        /// A hash of its id.
        let id: UInt64
        var output: Int
    }

    init(iteration: Int) { self.iteration = iteration }

    /// Takes in what a message says.
    mutating func add(_ line: BackendMessage, _ base: UnsafePointer<UInt8>) {
        guard let used = Usage(line.usage, base) else { return }
        inputTokens = max(inputTokens, used.prompt)
        cacheReadTokens = max(cacheReadTokens, used.cacheRead)
        cacheWriteTokens = max(cacheWriteTokens, used.cacheWrite)
        let known = line.id.isString && line.id.count > 0 ? note(line.id.buffer(base).fnv1a, used.output) : 0
        outputTokens = min(outputTokens + max(0, used.output - known), IterationFigures.largestCount)
    }

    /// What the message had used before it says `output`.
    private mutating func note(_ id: UInt64, _ output: Int) -> Int {
        var newest = messages ?? []
        let index = newest.lastIndex { $0.id == id }
        let known = index.map { newest.remove(at: $0).output } ?? 0
        messages = newest.suffix(Self.maximumMessages - 1) + [Message(id: id, output: max(known, output))]
        return known
    }

    /// The figures of an iteration that ended without a word on them.
    var figures: IterationFigures {
        var figures = IterationFigures(duration: nil)
        figures.inputTokens = inputTokens
        figures.outputTokens = outputTokens
        figures.cacheReadTokens = cacheReadTokens
        figures.cacheWriteTokens = cacheWriteTokens
        return figures
    }

    /// The figures of a turn that ends with the line of `members`, which knows what it cost and all that the agent wrote; of
    /// prompts it knows only the sum.
    func figures(endingWith members: [JSONMember], _ base: UnsafePointer<UInt8>) -> IterationFigures {
        var all = figures
        all.duration = IterationFigures(members, base).duration
        let cost = members.value("total_cost_usd", base).number(base) ?? 0
        all.cost = max(0, min(cost, IterationFigures.largestCost))
        guard let used = Usage(members.value("usage", base), base) else { return all }
        all.outputTokens = max(used.output, outputTokens)
        guard inputTokens == 0 else { return all }
        all.inputTokens = used.prompt
        all.cacheReadTokens = used.cacheRead
        all.cacheWriteTokens = used.cacheWrite
        return all
    }

    /// A `usage` object.
    private struct Usage {
        let output: Int
        let cacheRead: Int
        let cacheWrite: Int
        /// With what the cache held of it.
        let prompt: Int

        init?(_ usage: JSONSlice, _ base: UnsafePointer<UInt8>) {
            guard usage.kind == .object else { return nil }
            var members: [JSONMember] = []
            var scanner = JSONScanner(base: base, count: Int(usage.end), index: Int(usage.start))
            guard scanner.scanObject(into: &members) else { return nil }
            func count(_ key: StaticString) -> Int { IterationFigures.count(members.value(key, base), base) }
            output = count("output_tokens")
            cacheRead = count("cache_read_input_tokens")
            cacheWrite = count("cache_creation_input_tokens")
            prompt = min(count("input_tokens") + cacheRead + cacheWrite, IterationFigures.largestCount)
        }
    }
}
