import Synchronization

/// A search for a stream's start on a reader thread, which is not begun, or goes no further, when the stream has left.
final class StartSearch: Sendable {
    private let isOver = Atomic(false)

    init() {}

    /// Whether somebody waits for what it comes to.
    var isWanted: Bool { !isOver.load(ordering: .relaxed) }

    /// Nobody waits for it any more.
    func callOff() { isOver.store(true, ordering: .relaxed) }
}
