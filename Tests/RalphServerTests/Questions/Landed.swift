import Synchronization

/// What one task of a test found, for the next one.
final class Landed: Sendable {
    private let state = Mutex<[String]>([])

    var value: [String] {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}
