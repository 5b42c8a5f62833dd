import Synchronization

/// The port that the server listens on, for those who tell others of it.
final class ListeningPort: Sendable {
    private let port = Mutex<Int?>(nil)

    init() {}

    /// `nil` until it is bound.
    var number: Int? { port.withLock { $0 } }

    /// Notes the port bound.
    func set(_ number: Int) { port.withLock { $0 = number } }
}
