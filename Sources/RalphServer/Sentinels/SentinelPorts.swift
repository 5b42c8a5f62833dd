import RalphSessions
import RalphWire

/// What the sentinels see of the server, and how they speak; tests bring their own.
struct SentinelPorts: Sendable {
    var facts: @Sendable (SessionID) -> SentinelFacts?
    /// See ``Ingest/tell(_:to:)``.
    var tell: @Sendable (SessionID, ControlNote) async throws -> Void
    var clock = DeadlineClock.system

    init(
        facts: @escaping @Sendable (SessionID) -> SentinelFacts?,
        tell: @escaping @Sendable (SessionID, ControlNote) async throws -> Void,
        clock: DeadlineClock = .system
    ) {
        self.facts = facts
        self.tell = tell
        self.clock = clock
    }

    init(catalogue: SessionCatalogue, ingest: Ingest) {
        self.init(
            facts: { id in
                catalogue.entry(id).map { entry in
                    var facts = SentinelFacts(entry, now: WallClock.milliseconds())
                    // Nothing is read then, whatever the run writes.
                    if catalogue.isBlind() { facts.isWaiting = true }
                    return facts
                }
            },
            tell: { id, note in try await ingest.tell(note, to: id) })
    }
}
