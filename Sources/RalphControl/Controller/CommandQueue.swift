/// Who may act on a session: one command after the other, in the order in which they came; a stop first.
///
/// A value inside the controller's actor. What waits is bounded; nothing waits for ever, because every command
/// is bounded in time.
struct CommandQueue {
    /// What a waiting command is told.
    enum Turn: Sendable { case go, superseded, busy }

    /// How a command stands to a stop.
    enum Kind: Sendable, Equatable {
        /// Start, pause and resume make no sense behind a stop.
        case change
        /// Rows and answers keep their place.
        case message
        case stop
    }

    private struct Waiter {
        let kind: Kind
        let continuation: CheckedContinuation<Turn, Never>
    }

    /// More commands do not wait.
    static let maximumWaiting = 16

    private var waiters: [Waiter] = []
    private(set) var isBusy = false

    var waiting: Int { waiters.count }

    /// Takes the turn if nobody has it.
    mutating func takeTurn() -> Bool {
        guard !isBusy else { return false }
        isBusy = true
        return true
    }

    /// Queues a command; its continuation is resumed exactly once.
    mutating func wait(_ kind: Kind, _ continuation: CheckedContinuation<Turn, Never>) {
        if kind == .stop {
            for waiter in waiters where waiter.kind == .change {
                waiter.continuation.resume(returning: .superseded)
            }
            waiters.removeAll { $0.kind == .change }
        }
        // Messages do not keep a stop out.
        let count = kind == .stop ? waiters.count { $0.kind == .stop } : waiters.count
        guard count < Self.maximumWaiting else {
            continuation.resume(returning: .busy)
            return
        }
        let place =
            kind == .stop ? waiters.firstIndex { $0.kind != .stop } ?? waiters.endIndex : waiters.endIndex
        waiters.insert(Waiter(kind: kind, continuation: continuation), at: place)
    }

    /// Gives the turn to the next one.
    mutating func leave() {
        guard !waiters.isEmpty else {
            isBusy = false
            return
        }
        waiters.removeFirst().continuation.resume(returning: .go)
    }
}
