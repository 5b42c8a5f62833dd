/// Who may act on a session: one command after the other, in the order in which they came; a stop first.
///
/// A value inside the controller's actor. What waits is bounded, and so is how long (``patience(of:)``); a stop waits until it is
/// done, as every command is bounded in time.
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
        let ticket: Int
        let continuation: CheckedContinuation<Turn, Never>
    }

    /// More commands do not wait.
    static let maximumWaiting = 16
    /// Who has waited for so long has to come again: with the time that a command takes itself (a resume 25 s), whoever asked
    /// for it would have given up (http-contract 1.1), and not know that it is done all the same.
    static func patience(of kind: Kind) -> Duration { kind == .message ? .seconds(15) : .seconds(5) }

    private var waiters: [Waiter] = []
    private var lastTicket = 0
    private(set) var isBusy = false

    var waiting: Int { waiters.count }

    /// Takes the turn if nobody has it.
    mutating func takeTurn() -> Bool {
        guard !isBusy else { return false }
        isBusy = true
        return true
    }

    /// A number for a command that has to wait.
    mutating func ticket() -> Int {
        lastTicket += 1
        return lastTicket
    }

    /// Queues a command; its continuation is resumed exactly once.
    mutating func wait(_ kind: Kind, _ ticket: Int, _ continuation: CheckedContinuation<Turn, Never>) {
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
        waiters.insert(Waiter(kind: kind, ticket: ticket, continuation: continuation), at: place)
    }

    /// Refuses the command with this ticket if it still waits and is no stop.
    mutating func giveUp(_ ticket: Int) {
        guard let index = waiters.firstIndex(where: { $0.ticket == ticket && $0.kind != .stop }) else {
            return
        }
        waiters.remove(at: index).continuation.resume(returning: .busy)
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
