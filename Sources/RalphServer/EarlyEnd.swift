import ServiceLifecycle
import Synchronization

/// Hears of a shutdown before every other service, as the last of their list: a server that does not listen yet never
/// does then, and nobody waits for its first look at the roots any more.
final class EarlyEnd: Service {
    private let ingest: Ingest
    private let hasBegun = Atomic(false)
    private let beginning = Landing<Void>()

    init(ingest: Ingest) { self.ingest = ingest }

    /// Whether the server ends.
    var isEnding: Bool { hasBegun.load(ordering: .acquiring) }

    /// Returns when the server ends, though the task is cancelled; for one caller.
    func begun() async { await beginning.settled() }

    func run() async throws {
        try? await gracefulShutdown()  // cancelled: the end all the same
        begin()
        ingest.giveFirstScanUp()
    }

    /// The server ends from now on, whatever has heard of it yet.
    func begin() {
        hasBegun.store(true, ordering: .releasing)
        beginning.settle(())
    }
}
