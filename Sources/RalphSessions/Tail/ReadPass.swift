import RalphWire

/// What one read of a session gathers.
struct ReadPass {
    var batch = EventBatch()
    var checkpoints: [String: [UInt8]] = [:]
    private(set) var problems: [String] = []
    /// Bytes that may still be read.
    var budget: Int
    var hasMore = false
    /// Milliseconds since 1970.
    let now: Int64
    /// The files to be read were only written to since the last read.
    let isGrowth: Bool

    init(budget: Int, now: Int64, isGrowth: Bool = false) {
        self.budget = budget
        self.now = now
        self.isGrowth = isGrowth
    }

    mutating func note(_ problem: String) {
        if problems.count < SessionRead.maximumProblems { problems.append(problem) }
    }
}
