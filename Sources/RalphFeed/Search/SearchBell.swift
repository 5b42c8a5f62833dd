import Dispatch
import Synchronization

/// Wakes the index's thread when events come.
///
/// While the thread works or gathers, an append costs one atomic load here; while it sleeps, one exchange and
/// one signal. Holds nothing of the index, so that the feed, which keeps its sinks, does not keep it alive.
final class SearchBell: BlockSink {
    private let isAsleep = Atomic(false)
    private let isStopped = Atomic(false)
    private let signal = DispatchSemaphore(value: 0)

    init() {}

    /// Whether the thread is to end.
    var isStopping: Bool { isStopped.load(ordering: .acquiring) }

    func deliver(_ blocks: [EventBlock]) {
        guard isAsleep.load(ordering: .sequentiallyConsistent) else { return }
        if isAsleep.exchange(false, ordering: .sequentiallyConsistent) { signal.signal() }
    }

    /// Ends every wait from now on.
    func stop() {
        isStopped.store(true, ordering: .releasing)
        signal.signal()
    }

    /// Waits for events, unless `hasEvents` says, once the bell would ring, that they are there.
    func sleep(unless hasEvents: () -> Bool) {
        // Asleep first, then the look: events that come after the look find the thread asleep.
        isAsleep.store(true, ordering: .sequentiallyConsistent)
        if !hasEvents(), !isStopping { signal.wait() }
        isAsleep.store(false, ordering: .sequentiallyConsistent)
    }

    /// Waits for a while; only ``stop()`` ends it earlier.
    func pause(_ duration: Duration) {
        guard duration > .zero, !isStopping else { return }
        let (seconds, attoseconds) = duration.components
        let nanoseconds = min(seconds, 3600) * 1_000_000_000 + attoseconds / 1_000_000_000
        _ = signal.wait(timeout: .now() + .nanoseconds(Int(nanoseconds)))
    }
}
