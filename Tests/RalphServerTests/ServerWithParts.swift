import RalphTestSupport

@testable import RalphServer

/// Runs `body` against a server on `directory`, with what that consists of, and ends it.
func withServerParts(
    in directory: TemporaryDirectory, _ configure: (inout ServerConfiguration) -> Void = { _ in },
    _ body: (RunningServer, ServerParts) async throws -> Void
) async throws {
    try await withWholeServer(in: directory, configure) { try await body($0, $1.parts) }
}

/// The same, with its event loops.
func withWholeServer(
    in directory: TemporaryDirectory, _ configure: (inout ServerConfiguration) -> Void = { _ in },
    _ body: (RunningServer, RalphServer) async throws -> Void
) async throws {
    var configuration = ServerConfiguration()
    configuration.port = 0
    configuration.roots = [directory.path]
    configuration.stateDirectory = directory.path + "/.state"
    // Requests come as soon as it listens, and it is to know its sessions then, however busy the machine is.
    configuration.firstLookPatience = .seconds(60)
    configure(&configuration)
    let server = try RalphServer(
        configuration, environment: ["PATH": "/usr/bin:/bin", "HOME": directory.path],
        logger: TestLogger.make())
    let run = Task { try? await server.run(signals: nil) { _ in } }  // it is ended by cancellation
    let result: Result<Void, any Error>
    do {
        try await eventually(within: .seconds(20), "server start") { server.port != nil }
        let running = RunningServer(port: server.port ?? 0, root: directory, said: .init())
        result = .success(try await body(running, server))
    } catch {
        result = .failure(error)
    }
    run.cancel()
    await run.value
    try result.get()
}
