import RalphWire

/// What one read of a session gathers.
struct ReadPass {
    /// Bytes of events for each byte that is read, up to which only this one counts.
    private static let usualGrowth = 4

    var batch = EventBatch()
    var checkpoints: [String: [UInt8]] = [:]
    /// What is said once.
    private(set) var problems: [String] = []
    /// What is wrong with sources, by their keys; it is said until they can be read.
    private(set) var errors: [String: String] = [:]
    /// Bytes that may still be read; see ``spend(_:behind:)``.
    var budget: Int
    var hasMore = false
    /// When to read again though nothing changes, milliseconds since 1970.
    private(set) var readAgainAt: Int64?
    /// Keys of sources that could not be read and are to be tried again.
    private(set) var failed: Set<String> = []
    /// Whether an events file could not be read for a reason that will pass: newer ones wait for it.
    private(set) var isHeldUp = false
    /// Whether a file that was read before may not be read any more.
    var isDenied = false
    /// Milliseconds since 1970.
    let now: Int64
    /// The files to be read were only written to since the last read.
    var isGrowth = false
    /// Whether the configuration was looked at behind the bytes that are being taken up.
    var isConfigured = false
    /// Nobody writes the files any more.
    var isLast = false

    /// Takes `bytes` that were read off the budget; more if very much was made of them, as of tiny objects.
    ///
    /// - Parameter made: the bytes of events before.
    mutating func spend(_ bytes: Int, behind made: Int) {
        budget -= max(bytes, (batch.bytes.count - made) / Self.usualGrowth)
    }

    /// Has the session be read again at `time`, or before.
    mutating func readAgain(at time: Int64) { readAgainAt = min(readAgainAt ?? .max, time) }

    /// Reading `source` failed.
    ///
    /// - Parameter holdsUp: newer events files wait for it if the reason will pass.
    mutating func note(_ error: TailError, of source: TailSource, holdsUp: Bool = true) {
        errors[source.key] = error.description
        switch error {
        case .unreadable, .returning: break
        case .missing, .notPermitted, .notRegularFile, .fileChanged: return
        }
        failed.insert(source.key)
        if error.isPassing, holdsUp { holdUp(for: source) }
    }

    /// Has newer events files wait for `source`, which is tried again.
    mutating func holdUp(for source: TailSource) {
        failed.insert(source.key)
        isHeldUp = isHeldUp || !source.isAgentOutput
    }

    mutating func note(_ problem: String) {
        if problems.count < SessionRead.maximumProblems { problems.append(problem) }
    }
}
