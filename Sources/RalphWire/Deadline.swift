import Foundation

/// Waiting no longer than one wants to.
package enum Deadline {
    /// What `work` gives; `nil` if it takes longer than `limit`. It is cancelled then and must heed that.
    ///
    /// - Throws: what `work` throws, `CancellationError` when the caller is cancelled.
    package static func value<Value: Sendable>(
        within limit: Duration, _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value? {
        try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask { try await work() }
            group.addTask {
                try await Task.sleep(for: limit)
                return nil
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
    }

    /// What `work` gives, which may block its thread; `nil` if it takes longer than `limit`. The thread is left
    /// to itself then: for programs that end soon after.
    package static func blocking<Value: Sendable>(
        within limit: Duration, _ work: @escaping @Sendable () -> Value
    ) async -> Value? {
        let (results, continuation) = AsyncStream.makeStream(
            of: Value.self, bufferingPolicy: .bufferingNewest(1))
        let thread = Thread {
            continuation.yield(work())
            continuation.finish()
        }
        thread.start()
        // Only a caller that is cancelled gets an error in here, and it has its answer all the same: none.
        let value = try? await value(within: limit) { await results.first { _ in true } }
        return value ?? nil
    }
}
