/// Something took too long in each of several tries.
public struct TooSlow: Error, CustomStringConvertible {
    public let description: String
}

/// Requires that something takes less than `bound` in one of three tries: a machine with other things to do may be late,
/// but not each time.
///
/// - Parameter attempt: one whole try, by itself; gives what that took.
/// - Throws: ``TooSlow`` with what each try took, and what `attempt` throws.
public func atBest(
    within bound: Duration, _ what: String, _ attempt: () async throws -> Duration
) async throws {
    var took: [Duration] = []
    for _ in 1...3 {
        let time = try await attempt()
        if time < bound { return }
        took.append(time)
    }
    throw TooSlow(description: "\(what) took \(took), which are all not within \(bound)")
}
