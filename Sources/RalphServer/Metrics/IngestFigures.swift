import RalphFeed
import RalphSessions
import RalphWire
import Synchronization

/// What the ingest thread stored since the start, and how long that took; `/metrics` shows it.
final class IngestFigures: Sendable {
    /// What is counted.
    struct Figures: Sendable {
        /// Events stored, in the order of ``RalphWire/EventOrigin``'s cases.
        var events = [Int](repeating: 0, count: EventOrigin.allCases.count)
        /// Transactions that were stored.
        var appends = DurationHistogram()
        /// Transactions that failed and were tried again.
        var failures = 0
        /// Lines of sessions' files that were not read, or not whole.
        var skipped = SkippedLines()
    }

    private let figures = Mutex(Figures())

    init() {}

    /// What was counted so far.
    var all: Figures { figures.withLock(\.self) }

    /// Counts one transaction that was stored, and the reads that it came of.
    func note(_ appends: [SessionAppend], of reads: [SessionRead], took duration: Duration) {
        let (seconds, attoseconds) = duration.components
        figures.withLock { figures in
            figures.appends.observe(nanoseconds: seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
            for append in appends {
                for item in append.batch.items { figures.events[Self.index(of: item.origin)] += 1 }
            }
            for read in reads {
                figures.skipped.malformed += read.skipped.malformed
                figures.skipped.overlong += read.skipped.overlong
            }
        }
    }

    /// Counts one transaction that failed.
    func noteFailure() { figures.withLock { $0.failures += 1 } }

    private static func index(of origin: EventOrigin) -> Int {
        switch origin {
        case .engine: 0
        case .agent: 1
        case .server: 2
        case .user: 3
        }
    }
}
