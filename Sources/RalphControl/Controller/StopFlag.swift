import Synchronization

/// Whether a stop waits or acts; asked from outside of the actor by a launch that waits.
final class StopFlag: Sendable {
    private let stops = Atomic(0)
    private let forced = Atomic(0)

    var isUp: Bool { stops.load(ordering: .relaxed) > 0 }
    /// Whether one of them does not wait for the end of the iteration.
    var isForced: Bool { forced.load(ordering: .relaxed) > 0 }

    func raise(force: Bool) {
        stops.add(1, ordering: .relaxed)
        if force { forced.add(1, ordering: .relaxed) }
    }

    func lower(force: Bool) {
        stops.subtract(1, ordering: .relaxed)
        if force { forced.subtract(1, ordering: .relaxed) }
    }
}
