/// How threads in the background leave the processor to others: after every stretch of work a rest, also inside a step.
///
/// A running thread does not make way for every one that becomes ready, however little its work is worth
/// (``BackgroundThread``): on an older kernel, only when it has had its slice, which is a millisecond or more.
struct WorkPace {
    /// The longest work between two rests, but for a single entry or a commit.
    static let stretch: Duration = .microseconds(300)

    private let pause: (Duration) -> Void
    private var began = ContinuousClock.now
    /// The length of a rest for each unit of time that was worked.
    var factor = 1

    /// - Parameter pause: waits.
    init(pause: @escaping (Duration) -> Void) { self.pause = pause }

    /// Work begins after a wait of another kind.
    mutating func begin() { began = .now }

    /// Rests if it is time to.
    mutating func restIfDue() {
        let worked = .now - began
        guard worked >= Self.stretch else { return }
        pause(worked * factor)
        began = .now
    }
}
