import Foundation
import Logging
import RalphSessions
import RalphTestSupport
import RalphWire

/// A workspace with one session, its tail, and a store that keeps what each read gives.
final class SessionScene {
    static let run1 = "events-20260101-000001.jsonl"
    static let run2 = "events-20260101-000002.jsonl"
    static let run3 = "events-20260101-000003.jsonl"

    let directory: TemporaryDirectory
    let session: DiscoveredSession
    var limits: TailLimits
    /// Nothing is kept yet: the next tail sees the session for the first time.
    var saved: SavedTail?
    private(set) var problems: [String] = []
    private(set) var last: SessionRead?
    private(set) var tail: SessionTail
    var now: Int64 = 1_000_000

    init(
        _ directory: TemporaryDirectory, limits: TailLimits = TailLimits(),
        layout: SessionDirectory.Layout = .ralph, workspace: String = "", worktreeOf: String? = nil,
        agentOutput: [String] = []
    ) throws {
        let home = directory.path + workspace
        let path =
            home + (layout == .agent ? "/.agent" : layout == .nested ? "/.ralph/sessions/x" : "/.ralph")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        self.directory = directory
        self.limits = limits
        session = DiscoveredSession(
            directory: SessionDirectory(path: path, workspace: home, layout: layout),
            worktreeOf: worktreeOf.map { directory.path + $0 }, agentOutput: agentOutput)
        tail = SessionTail(
            session: session, saved: nil, limits: limits, logger: Logger(label: "test"), pool: FilePool())
    }

    /// Goes on with a new tail from what was kept, as a restart does.
    func restart() {
        tail = SessionTail(
            session: session, saved: saved, limits: limits, logger: Logger(label: "test"),
            pool: FilePool(limits: limits))
    }

    /// Reads until there is no more and gives the topics of `origin`; what was read is kept.
    @discardableResult
    func read(
        changed: Set<String>? = nil, isGrowth: Bool = false, budget: Int = 1 << 20,
        origin: EventOrigin = .engine, keeps: Bool = true
    ) -> [String] {
        var topics: [String] = []
        var kept = saved ?? SavedTail(checkpoints: [:], state: nil)
        problems = []
        while true {
            now += 10
            let read = tail.read(changed: changed, isGrowth: isGrowth, budget: budget, now: now)
            topics += read.batch.items.filter { $0.origin == origin }.map { read.batch.text($0.topic) }
            kept.checkpoints.merge(read.checkpoints) { $1 }
            kept.state = read.state
            problems += read.problems
            last = read
            if !read.hasMore { break }
        }
        if keeps { saved = kept }
        return topics
    }

    func point(at name: String) throws { try directory.write(".ralph/current-events", ".ralph/" + name) }
    func write(_ name: String, _ text: String) throws { try directory.write(".ralph/" + name, text) }
    func append(_ name: String, _ text: String) throws { try directory.append(".ralph/" + name, text) }
    func path(_ name: String) -> String { session.directory.path + "/" + name }

    /// What a page of history shows.
    static func topics(_ batch: EventBatch) -> [String] { batch.items.map { batch.text($0.topic) } }
}
