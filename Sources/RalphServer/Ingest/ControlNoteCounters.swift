import Synchronization

/// What became of the notes of the control side, for the health report.
final class ControlNoteCounters: Sendable {
    /// Stored and published.
    let posted = Atomic(0)
    /// Not taken because too many waited.
    let refused = Atomic(0)
    /// For sessions that are not to be found.
    let unknown = Atomic(0)
    /// Not stored before whoever posted them gave up waiting.
    let late = Atomic(0)
    /// Waiting now.
    let waiting = Atomic(0)

    init() {}
}
