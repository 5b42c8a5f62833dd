import RalphWire

/// The figures of an `iteration.summary` row or an `iteration_end` line (contract 2.7, 4.8).
struct IterationFigures {
    /// Milliseconds, at most about three years: whatever a file says, sums stay sums.
    var duration: Int?
    var inputTokens = 0
    var outputTokens = 0
    /// US dollars.
    var cost = 0.0
    var cacheReadTokens = 0
    var cacheWriteTokens = 0

    /// Something other than time was used.
    var isUsed: Bool { inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens > 0 || cost > 0 }

    /// Those of an iteration of which only the time is known.
    init(duration: Int?) {
        self.duration = duration.map(Self.bounded)
    }

    /// Reads the members of an object.
    init(_ members: [JSONMember], _ base: UnsafePointer<UInt8>) {
        duration = members.value("duration_ms", base).integer(base).map(Self.bounded)
        inputTokens = Self.count(members.value("input_tokens", base), base)
        outputTokens = Self.count(members.value("output_tokens", base), base)
        cacheReadTokens = Self.count(members.value("cache_read_tokens", base), base)
        cacheWriteTokens = Self.count(members.value("cache_write_tokens", base), base)
        cost = max(0, min(members.value("cost_usd", base).number(base) ?? 0, Self.largestCost))
    }

    /// Reads a payload: an object, or a string that is the text of one.
    init(payload: JSONSlice, _ base: UnsafePointer<UInt8>) {
        var members: [JSONMember] = []
        guard payload.isString else {
            var scanner = JSONScanner(base: base, count: Int(payload.end), index: Int(payload.start))
            _ = payload.kind == .object && scanner.scanObject(into: &members)
            self.init(members, base)
            return
        }
        var text: [UInt8] = []
        text.reserveCapacity(payload.count)
        payload.appendUnescaped(base, to: &text)
        self = text.withUnsafeBufferPointer { bytes in
            guard let start = bytes.baseAddress else { return IterationFigures([], base) }
            var scanner = JSONScanner(base: start, count: bytes.count)
            scanner.skipSpaces()
            return scanner.scanObject(into: &members)
                ? IterationFigures(members, start) : IterationFigures([], base)
        }
    }

    /// What `iteration.completed` says.
    var payload: JSONObjectText {
        var object = JSONObjectText()
        if let duration { object.add("duration_ms", duration) }
        object.add("cost_usd", cost)
        object.add("input_tokens", inputTokens)
        object.add("output_tokens", outputTokens)
        object.add("cache_read_tokens", cacheReadTokens)
        object.add("cache_write_tokens", cacheWriteTokens)
        return object
    }

    /// What `assistant` says: `{"usage":{…}}` (http-contract 4.3).
    var usage: JSONObjectText {
        var object = JSONObjectText()
        object.add("usage", tokens: inputTokens, outputTokens)
        return object
    }

    private static func bounded(_ duration: Int) -> Int { min(duration, 100_000_000_000) }

    /// So that sums stay sums.
    static let largestCount = 1_000_000_000_000
    static let largestCost = 1e9

    static func count(_ value: JSONSlice, _ base: UnsafePointer<UInt8>) -> Int {
        min(value.integer(base) ?? 0, largestCount)
    }
}
