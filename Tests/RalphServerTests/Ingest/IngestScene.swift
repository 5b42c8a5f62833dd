import Foundation
import Logging
import RalphFeed
import RalphSessions
import RalphTestSupport
import RalphWire
import Synchronization

@testable import RalphServer

/// An ingest thread over a directory, with a store and a catalogue of its own.
final class IngestScene: Sendable {
    let directory: TemporaryDirectory
    let feed: EventFeed
    let catalogue = SessionCatalogue()
    let ingest: Ingest
    private let changes: Changes

    /// What ``Ingest`` told of changes.
    private final class Changes: Sendable {
        let sessions = Mutex<[SessionID: Int]>([:])
    }

    init(
        _ directory: TemporaryDirectory, store: String? = nil,
        _ configure: (inout Ingest.Settings) -> Void = { _ in }
    ) throws {
        self.directory = directory
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        feed = try EventFeed(
            FeedConfiguration(path: store ?? directory.path + "/.state/feed.sqlite"), logger: logger)
        var settings = Ingest.Settings(
            discovery: DiscoverySettings(roots: [directory.path + "/r"]), tail: TailLimits())
        configure(&settings)
        let changes = Changes()
        self.changes = changes
        ingest = Ingest(
            settings: settings, feed: feed, catalogue: catalogue, logger: logger,
            onChange: { ids in
                changes.sessions.withLock { counts in for id in ids { counts[id, default: 0] += 1 } }
            })
    }

    /// How often a change of `id` was told.
    func changes(of id: SessionID) -> Int { changes.sessions.withLock { $0[id] ?? 0 } }

    /// Writes to a file in the `.ralph` of workspace `name`.
    func write(_ name: String, _ file: String, _ text: String) throws {
        try directory.write("r/\(name)/.ralph/\(file)", text)
    }

    /// Removes a workspace and all that is in it.
    func remove(_ name: String) throws { try directory.remove("r/" + name) }

    func append(_ name: String, _ text: String) throws {
        try directory.append("r/\(name)/.ralph/events.jsonl", text)
    }

    /// The id of the session in workspace `name`, whether it is there or not.
    func id(_ name: String) -> SessionID {
        let workspace = directory.path + "/r/" + name
        return SessionDirectory(path: workspace + "/.ralph", workspace: workspace, layout: .ralph).id
    }

    /// The topics of all stored events of workspace `name`.
    func topics(_ name: String) throws -> [String] {
        try feed.stored(id(name), after: 0, limit: 10_000).flatMap { block in
            block.entries.map { String(decoding: block.bytes[$0.topic], as: UTF8.self) }
        }
    }

    /// The JSON of event `seq` of workspace `name`.
    func event(_ name: String, _ seq: Int64) throws -> [String: Any] {
        guard let block = try feed.stored(id(name), after: seq - 1, limit: 1).first else { return [:] }
        return try JSONSerialization.jsonObject(with: Data(block.json(at: 0))) as? [String: Any] ?? [:]
    }
}

/// Runs `body` while the ingest thread of a scene works.
func withIngest(
    store: String? = nil, _ configure: @escaping (inout Ingest.Settings) -> Void = { _ in },
    _ body: @escaping @Sendable (IngestScene) async throws -> Void
) async throws {
    try await withTemporaryDirectory { directory in
        try FileManager.default.createDirectory(
            atPath: directory.path + "/r", withIntermediateDirectories: true)
        let scene = try IngestScene(directory, store: store, configure)
        defer { scene.feed.close() }
        try await withRunning("the ingest thread") {
            try await scene.ingest.run()
        } _: {
            _ = await scene.ingest.waitForFirstScan()
            try await body(scene)
        }
    }
}
