import Synchronization

/// A text that one part of a test leaves for another.
final class KeptText: Sendable {
    private let kept = Mutex("")

    var text: String { kept.withLock { $0 } }

    func set(_ text: String) { kept.withLock { $0 = text } }
}
