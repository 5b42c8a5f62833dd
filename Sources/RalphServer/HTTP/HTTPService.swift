import ServiceLifecycle

/// Listens from the first scan, or from when that takes too long, to the shutdown; not at all if that comes first.
struct HTTPService: Service {
    /// How long a shutdown waits for connections to end.
    static let drainLimit: Duration = .milliseconds(1200)

    let listener: HTTPListener
    let host: String
    let port: Int
    /// Called once it is listening, with the port.
    let didStart: @Sendable (Int) async -> Void
    /// Returns when requests may come; `false`: the server ends before.
    let waitUntilReady: @Sendable () async -> Bool

    func run() async throws {
        guard await waitUntilReady(), !Task.isCancelled else {
            try? await gracefulShutdown()  // cancelled: there is nothing to shut down
            return
        }
        await didStart(try await listener.start(host: host, port: port))
        try? await gracefulShutdown()  // cancelled: shut down all the same
        await listener.shutDown(within: Self.drainLimit)
    }
}
