import Foundation
import Logging
import NIOPosix
import RalphControl
import RalphFeed
import RalphTestSupport
import RalphWire
import Testing

@testable import RalphServer

/// A device that is taken out behind the door, while its import goes on.
@Suite(.timeLimit(.minutes(1)))
struct RevokedImportTests {
    private func files(_ scene: IngestScene) throws -> WorkspaceFiles {
        let (directory, logger) = (scene.directory, Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let control = ControlService(
            catalogue: scene.catalogue,
            registry: try RunRegistry(
                ledger: scene.feed.ledger, catalogue: scene.catalogue, logger: logger),
            devices: try DeviceBook(path: directory.path + "/devices.json"), feed: scene.feed,
            ingest: scene.ingest, changes: ChangedSessions(),
            settings: ControlSettings(ralph: nil, runs: directory.path, environment: [:]),
            threads: FileThreads(most: 4), startThreads: FileThreads(most: 4), stateThreads: .singleton,
            ownThreads: .singleton,
            logger: logger)
        return WorkspaceFiles(
            resolver: WorkspaceResolver(
                roots: [directory.path + "/r"], secrets: [], catalogue: scene.catalogue),
            waiting: LockWaiting(threads: FileThreads(most: 4)), control: control,
            keeper: TaskKeeper(threads: FileThreads(most: 4), logger: logger))
    }

    @Test func `a configuration is not imported for a device that was revoked`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.write("r/project/ralph.yml", "event_loop:\n  max_iterations: 1\n")
            let scene = try IngestScene(directory)
            defer { scene.feed.close() }
            let files = try files(scene)
            let place = try await files.place(QueryItems("workspace=project"))
            let yaml = "event_loop:\n  max_iterations: 2\n"
            let device = Caller(
                peer: "127.0.0.1", access: .device(try #require(DeviceID("00000000000a"))))

            await #expect(throws: Problem.unauthorized) {
                try await files.importConfig(place, yaml, by: device)
            }
            let path = directory.path + "/r/project/ralph.yml"
            #expect(try String(contentsOfFile: path, encoding: .utf8).contains("max_iterations: 1"))
            _ = try await files.importConfig(place, yaml, by: Caller(peer: "127.0.0.1", access: .key))
            #expect(try String(contentsOfFile: path, encoding: .utf8) == yaml)
        }
    }
}
