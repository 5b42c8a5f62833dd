import RalphWire

/// What one read of a session gathers.
struct ReadPass {
    var batch = EventBatch()
    var checkpoints: [String: [UInt8]] = [:]
    private(set) var problems: [String] = []
    /// Bytes that may still be read.
    var budget: Int
    var hasMore = false
    /// Keys of sources that could not be read for a reason that may pass.
    private(set) var failed: Set<String> = []
    /// Milliseconds since 1970.
    let now: Int64
    /// The files to be read were only written to since the last read.
    let isGrowth: Bool

    init(budget: Int, now: Int64, isGrowth: Bool = false) {
        self.budget = budget
        self.now = now
        self.isGrowth = isGrowth
    }

    /// Reading `source` failed.
    mutating func note(_ error: TailError, of source: TailSource) {
        note(error.description)
        if error.isPassing { failed.insert(source.key) }
    }

    mutating func note(_ problem: String) {
        if problems.count < SessionRead.maximumProblems { problems.append(problem) }
    }
}
