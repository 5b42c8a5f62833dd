import Synchronization

/// Who may act on a session: one command after the other, in the order in which they came; a stop first.
///
/// It lies outside of the controller's actor, which may wait for a file system that does not answer: who waits for that is
/// told in time all the same. What waits is bounded, and so is how long (``patience(of:)``); a stop waits until it is done,
/// as every command is bounded in time.
final class CommandQueue: Sendable {
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

    private struct Waiter: Sendable {
        let kind: Kind
        let ticket: Int
        let continuation: CheckedContinuation<Turn, Never>
    }

    private struct State {
        var waiters: [Waiter] = []
        var lastTicket = 0
        var isBusy = false

        /// Takes out the changes, which a stop overtakes.
        mutating func takeChanges() -> [Waiter] {
            defer { waiters.removeAll { $0.kind == .change } }
            return waiters.filter { $0.kind == .change }
        }

        /// Gives a command its place.
        ///
        /// - Returns: what it is told at once; `nil`: it waits.
        mutating func place(_ waiter: Waiter) -> Turn? {
            guard isBusy else {
                isBusy = true
                return .go
            }
            // Messages do not keep a stop out.
            let count = waiter.kind == .stop ? waiters.count { $0.kind == .stop } : waiters.count
            guard count < CommandQueue.maximumWaiting else { return .busy }
            let end = waiters.endIndex
            let place = waiter.kind == .stop ? waiters.firstIndex { $0.kind != .stop } ?? end : end
            waiters.insert(waiter, at: place)
            return nil
        }
    }

    /// More commands do not wait.
    static let maximumWaiting = 16
    /// Who has waited for so long has to come again: with the time that a command takes itself (a resume 25 s), whoever asked
    /// for it would have given up (http-contract 1.1), and not know that it is done all the same. `nil`: it waits on.
    static func patience(of kind: Kind) -> Duration? {
        switch kind {
        case .change: .seconds(5)
        case .message: .seconds(15)
        case .stop: nil
        }
    }

    private let state = Mutex(State())

    var waiting: Int { state.withLock { $0.waiters.count } }
    var isBusy: Bool { state.withLock { $0.isBusy } }

    /// Takes the turn if nobody has it.
    func takeTurn() -> Bool {
        state.withLock { state in
            guard !state.isBusy else { return false }
            state.isBusy = true
            return true
        }
    }

    /// Takes the turn, or waits for it. Who is told ``Turn/go`` calls ``leave()`` in the end.
    func turn(for kind: Kind) async -> Turn {
        if takeTurn() { return .go }
        let ticket = makeTicket()
        var limit: Task<Void, Never>?
        if let patience = Self.patience(of: kind) {
            // Ends with the wait.
            limit = Task<Void, Never> { [self] in
                do { try await Task.sleep(for: patience) } catch { return }  // cancelled: it is over
                giveUp(ticket)
            }
        }
        defer { limit?.cancel() }
        return await withCheckedContinuation { wait(kind, ticket, $0) }
    }

    /// A number for a command that has to wait.
    private func makeTicket() -> Int {
        state.withLock { state in
            state.lastTicket += 1
            return state.lastTicket
        }
    }

    /// Queues a command; its continuation is resumed exactly once.
    func wait(_ kind: Kind, _ ticket: Int, _ continuation: CheckedContinuation<Turn, Never>) {
        let waiter = Waiter(kind: kind, ticket: ticket, continuation: continuation)
        let (overtaken, turn): ([Waiter], Turn?) = state.withLock { state in
            let overtaken = kind == .stop ? state.takeChanges() : []
            return (overtaken, state.place(waiter))
        }
        for change in overtaken { change.continuation.resume(returning: .superseded) }
        if let turn { continuation.resume(returning: turn) }
    }

    /// Refuses the command with this ticket if it still waits.
    func giveUp(_ ticket: Int) {
        let waiter: Waiter? = state.withLock { state in
            let index = state.waiters.firstIndex { $0.ticket == ticket }
            return index.map { state.waiters.remove(at: $0) }
        }
        waiter?.continuation.resume(returning: .busy)
    }

    /// Gives the turn to the next one.
    func leave() {
        let next: Waiter? = state.withLock { state in
            guard !state.waiters.isEmpty else {
                state.isBusy = false
                return nil
            }
            return state.waiters.removeFirst()
        }
        next?.continuation.resume(returning: .go)
    }
}
