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
    /// A hash of the newest message's id, and what it has used; several lines can be of one message.
    private var message: UInt64 = 0
    private var messageOutput = 0

    init(iteration: Int) { self.iteration = iteration }

    /// Takes in what a message says.
    mutating func add(_ line: BackendMessage, _ base: UnsafePointer<UInt8>) {
        guard let used = Usage(line.usage, base) else { return }
        inputTokens = max(inputTokens, used.prompt)
        cacheReadTokens = max(cacheReadTokens, used.cacheRead)
        cacheWriteTokens = max(cacheWriteTokens, used.cacheWrite)
        let id = line.id.isString && line.id.count > 0 ? line.id.buffer(base).fnv1a : 0
        let known = id != 0 && id == message ? messageOutput : 0
        outputTokens = min(outputTokens + max(0, used.output - known), IterationFigures.largestCount)
        (message, messageOutput) = (id, max(known, used.output))
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
