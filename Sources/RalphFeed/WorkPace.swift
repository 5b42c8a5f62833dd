/// How threads in the background leave the processor to others: after every stretch of work a rest, also inside a step.
///
/// A running thread does not make way for every one that becomes ready, however little its work is worth
/// (``BackgroundThread``): on an older kernel, only when it has had its slice, which is a millisecond or more.
struct WorkPace {
    /// The longest work between two rests, but for a single entry, a few short events that are stored at once, or a commit.
    static let stretch: Duration = .microseconds(300)

    private let pause: (Duration) -> Void
    private let isOver: () -> Bool
    private var began = ContinuousClock.now
    /// The length of a rest for each unit of time that was worked.
    var factor = 1

    /// - Parameters:
    ///   - isOver: whether nobody wants the work any more.
    ///   - pause: waits.
    init(isOver: @escaping () -> Bool = { false }, pause: @escaping (Duration) -> Void) {
        (self.isOver, self.pause) = (isOver, pause)
    }

    /// Work begins after a wait of another kind.
    mutating func begin() { began = .now }

    /// Rests if it is time to.
    mutating func restIfDue() {
        let worked = .now - began
        guard worked >= Self.stretch else { return }
        pause(worked * factor)
        began = .now
    }

    /// Rests if it is time to, in work that may be broken off.
    ///
    /// - Throws: `CancellationError` when nobody wants it any more.
    mutating func restOrEnd() throws {
        restIfDue()
        if isOver() { throw CancellationError() }
    }
}
