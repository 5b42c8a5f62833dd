import ServiceLifecycle

/// Listens from the first scan to the shutdown.
struct HTTPService: Service {
    /// How long a shutdown waits for connections to end.
    static let drainLimit: Duration = .milliseconds(1200)

    let listener: HTTPListener
    let host: String
    let port: Int
    /// Called once it is listening, with the port.
    let didStart: @Sendable (Int) async -> Void
    /// Returns when requests may come.
    let waitUntilReady: @Sendable () async -> Void

    func run() async throws {
        await waitUntilReady()
        await didStart(try await listener.start(host: host, port: port))
        try? await gracefulShutdown()  // cancelled: shut down all the same
        await listener.shutDown(within: Self.drainLimit)
    }
}
