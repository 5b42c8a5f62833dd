import Foundation
import Logging
import RalphTestSupport
import RalphWire

@testable import RalphSessions

/// A watcher and everything that its steps have told.
final class SessionWatcherFixture {
    let watcher: SessionWatcher
    private(set) var found: [DiscoveredSession] = []
    private(set) var changed: [DiscoveredSession] = []
    private(set) var gone: [SessionID] = []
    private(set) var liveness: [SessionID: SessionLiveness] = [:]
    private(set) var checkpoints: [SessionID: [String: [UInt8]]] = [:]
    private(set) var events: [SessionID: Int] = [:]
    private(set) var topics: [SessionID: [String]] = [:]
    private(set) var report = DiscoveryReport()
    private(set) var largestFirstSight = 0
    /// Whether nothing that inotify has to say arrives, as where others change a network file system.
    var isDeaf = false
    private let directory: TemporaryDirectory

    init(
        _ directory: TemporaryDirectory, saved: [SessionID: SavedTail] = [:],
        _ change: (inout DiscoverySettings) -> Void = { _ in }
    ) throws {
        self.directory = directory
        var settings = DiscoverySettings(roots: [directory.path])
        change(&settings)
        watcher = try SessionWatcher(
            settings: settings, tailLimits: TailLimits(),
            logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }),
            saved: { saved[$0] })
    }

    /// Waits a little and takes what one step tells.
    func step() {
        if isDeaf { watcher.inotify.readEvents { _ in } }
        let step = watcher.next(timeout: .milliseconds(20))
        found += step.found
        changed += step.changed
        gone += step.gone
        liveness.merge(step.liveness) { _, new in new }
        largestFirstSight = max(largestFirstSight, step.found.count)
        for read in step.reads {
            events[read.id, default: 0] += read.batch.items.count {
                $0.origin == .engine || $0.origin == .agent
            }
            topics[read.id, default: []] += SessionScene.topics(read.batch)
            checkpoints[read.id, default: [:]].merge(read.checkpoints) { _, new in new }
        }
        if let report = step.report { self.report = report }
    }

    /// Steps until `condition` holds.
    func until(
        within limit: Duration = .seconds(20), _ what: String, _ condition: (SessionWatcherFixture) -> Bool
    ) async throws {
        try await eventually(within: limit, what) {
            self.step()
            return condition(self)
        }
    }

    /// The id of the session directory `name`, whether it was found or not.
    func id(_ name: String) -> SessionID {
        SessionDirectory(path: directory.path + "/" + name, workspace: "", layout: .ralph).id
    }

    func foundNames() -> [String] { found.map { directory.relative($0.directory.path) } }
}
