import RalphTestSupport
import Testing

/// What runs beside a test.
@Suite(.timeLimit(.minutes(1)))
struct BesideTests {
    private struct Failure: Error {}

    /// Ends by cancellation alone.
    @Sendable private static func wait() async throws {
        for await _ in AsyncStream(Void.self, { _ in }) {}
        try Task.checkCancellation()
    }

    @Test func `a service that returns first fails the test`() async throws {
        await #expect(throws: EndedEarly.self) {
            try await withRunning("it", {}, Self.wait)
        }
    }

    @Test func `a service that fails behind its test fails it`() async throws {
        await #expect(throws: Failure.self) {
            try await withRunning(
                "it",
                {
                    try? await Self.wait()  // it is cancelled
                    throw Failure()
                }
            ) {}
        }
    }

    @Test func `a service that ends by cancellation fails nothing`() async throws {
        try await withRunning("it", Self.wait) {}
    }
}
