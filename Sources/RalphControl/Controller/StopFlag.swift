import Synchronization

/// Whether a stop waits or acts; asked from outside of the actor by a launch that waits.
final class StopFlag: Sendable {
    private let stops = Atomic(0)

    var isUp: Bool { stops.load(ordering: .relaxed) > 0 }

    func raise() { stops.add(1, ordering: .relaxed) }

    func lower() { stops.subtract(1, ordering: .relaxed) }
}
