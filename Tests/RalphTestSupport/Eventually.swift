/// A condition did not hold before its deadline.
public struct DeadlineExceeded: Error, CustomStringConvertible {
    public let description: String
}

/// Waits until `condition` holds: the only waiting that our tests do.
///
/// - Parameters:
///   - limit: after this long the wait fails, but not before the condition was asked about 50 times: tests that
///     run beside this one may keep it from being asked at all for a while.
///   - condition: asked about every 2 ms; it throws or returns `false` while the state is not there yet.
/// - Throws: ``DeadlineExceeded`` with the last error of `condition`, if it threw one.
public func eventually(
    within limit: Duration,
    _ what: String = "condition",
    _ condition: () async throws -> Bool
) async throws {
    let clock = ContinuousClock()
    let deadline = clock.now + limit
    var lastError: (any Error)?
    var attempts = 0
    while clock.now < deadline || attempts < 50 {
        attempts += 1
        do {
            if try await condition() { return }
            lastError = nil
        } catch {
            lastError = error
        }
        try await clock.sleep(for: .milliseconds(2))
    }
    let reason = lastError.map { ", last error: \($0)" } ?? ""
    throw DeadlineExceeded(description: "\(what) did not hold within \(limit)\(reason)")
}
