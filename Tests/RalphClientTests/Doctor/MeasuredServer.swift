import Logging
import RalphServer
import RalphTestSupport

/// Runs `body` with the port of a real server on an empty root.
func withMeasuredServer(
    key: String? = nil, keepAliveSeconds: Int64 = 15,
    _ body: @Sendable @escaping (Int) async throws -> Void
) async throws {
    try await withTemporaryDirectory { place in
        var configuration = ServerConfiguration()
        configuration.port = 0
        configuration.roots = [place.path]
        configuration.stateDirectory = place.path + "/.state"
        configuration.apiKey = key
        configuration.streams.keepAliveSeconds = keepAliveSeconds
        let server = try RalphServer(
            configuration, environment: ["HOME": place.path],
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        try await withRunning("the server") {
            try await server.run(signals: nil) { _ in }
        } _: {
            try await eventually(within: .seconds(20), "server start") { server.port != nil }
            try await body(server.port ?? 0)
        }
    }
}
