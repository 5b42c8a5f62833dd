import Dispatch
import Synchronization

/// Wakes the one thread that works off what others bring, without a wake-up that is lost.
///
/// Whoever brings something makes it visible first (a sequentially consistent store, or a lock) and then calls
/// ``ring()``; the thread says that it is asleep first and looks for work then. So one of the two sees the other:
/// the look finds the work, or the ring finds the thread asleep.
///
/// While the thread works or pauses, a ring costs one atomic load; while it sleeps, one exchange and one signal. For
/// each ``sleep(unless:)`` at most one ring leaves a signal behind, so a wait can end early, but never late.
///
/// Whoever ends the thread does not wait for one that waits here: a thread whose work is worth little
/// (``BackgroundThread``) may get no processor for seconds while others want it.
final class WorkerBell: Sendable {
    /// What the thread is about.
    private enum Stage: UInt8, AtomicRepresentable {
        case working
        /// Nothing is under way.
        case waiting
        /// Ended in its wait: it touches nothing any more, however late it wakes.
        case dismissed
    }

    private let isAsleep = Atomic(false)
    private let stage = Atomic(Stage.working)
    private let isStopped = Atomic(false)
    private let signal = DispatchSemaphore(value: 0)

    init() {}

    /// Whether the thread is to end.
    var isStopping: Bool { isStopped.load(ordering: .acquiring) }

    /// Wakes the thread if it sleeps; never waits. A ``pause(_:)`` goes on.
    func ring() {
        guard isAsleep.load(ordering: .sequentiallyConsistent) else { return }
        if isAsleep.exchange(false, ordering: .sequentiallyConsistent) { signal.signal() }
    }

    /// Ends the wait that is going on, a ``pause(_:)`` too; where none is, a later one ends early.
    func hurry() { signal.signal() }

    /// Ends the wait that is going on; the thread is to end. The first call counts.
    ///
    /// - Returns: `true`: nobody needs to wait for the thread, which was in ``sleep(unless:)`` or ``pause(_:)`` and does
    ///   nothing more. `false`: it may be at work.
    @discardableResult
    func stop() -> Bool {
        isStopped.store(true, ordering: .sequentiallyConsistent)
        defer { signal.signal() }  // a thread that wakes first is no longer one that waits
        return stage.compareExchange(
            expected: .waiting, desired: .dismissed, ordering: .sequentiallyConsistent
        ).exchanged
    }

    /// Waits for a ring or the end, without a time limit, unless `hasWork` says, once a ring would be heard, that
    /// there is work. Whoever calls looks at ``isStopping`` behind it, before anything else.
    func sleep(unless hasWork: () -> Bool) {
        isAsleep.store(true, ordering: .sequentiallyConsistent)
        if !hasWork(), !isStopping { idle { signal.wait() } }
        isAsleep.store(false, ordering: .sequentiallyConsistent)
    }

    /// Waits for a while, an hour at most; only ``hurry()`` and ``stop()`` end it earlier. Whoever calls looks at ``isStopping`` behind
    /// it, before anything else.
    func pause(_ duration: Duration) { idle { rest(duration) } }

    /// The same in the midst of work.
    func rest(_ duration: Duration) {
        guard duration > .zero, !isStopping else { return }
        let (seconds, attoseconds) = duration.components
        let nanoseconds = min(seconds, 3600) * 1_000_000_000 + attoseconds / 1_000_000_000
        _ = signal.wait(timeout: .now() + .nanoseconds(Int(nanoseconds)))
    }

    /// Waits with nothing under way.
    private func idle(_ wait: () -> Void) {
        // Whoever was dismissed stays so.
        _ = stage.compareExchange(expected: .working, desired: .waiting, ordering: .sequentiallyConsistent)
        wait()
        _ = stage.compareExchange(expected: .waiting, desired: .working, ordering: .sequentiallyConsistent)
    }
}

/// Events are work. The bell holds nothing of who works, so that the feed, which keeps its sinks, does not keep
/// that alive.
extension WorkerBell: BlockSink {
    func deliver(_ blocks: [EventBlock]) { ring() }
}
