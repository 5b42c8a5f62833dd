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

    init(budget: Int, now: Int64) {
        self.budget = budget
        self.now = now
    }

    mutating func note(_ problem: String) {
        if problems.count < SessionRead.maximumProblems { problems.append(problem) }
    }
}
