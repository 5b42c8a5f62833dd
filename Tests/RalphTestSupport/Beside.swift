/// A service was over before the test that ran beside it.
public struct EndedEarly: Error, CustomStringConvertible {
    /// What ended.
    public let name: String
    public var description: String { "\(name) ended before its test" }
}

/// Runs `body` beside `service`, and ends that by cancellation when `body` is over.
///
/// - Parameter name: what the service is, for the error.
/// - Throws: what `body` throws, or `service`, but for its cancellation; ``EndedEarly`` if `service` returned first.
public func withRunning(
    _ name: String, _ service: @Sendable @escaping () async throws -> Void,
    _ body: @Sendable @escaping () async throws -> Void
) async throws {
    try await withThrowingTaskGroup(of: Bool.self) { group in
        group.addTask {
            do { try await service() } catch is CancellationError where Task.isCancelled {}
            return false
        }
        group.addTask {
            try await body()
            return true
        }
        // Whatever is thrown here cancels the rest.
        guard try await group.next() == true else { throw EndedEarly(name: name) }
        group.cancelAll()
        try await group.waitForAll()
    }
}
