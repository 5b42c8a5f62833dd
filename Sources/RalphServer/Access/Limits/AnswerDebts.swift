import RalphWire
import Synchronization

/// How many bytes of answers wait for those who asked for them: a client that asks and asks and takes nothing must not
/// fill the memory.
final class AnswerDebts: Sendable {
    /// A large answer that waits.
    struct Debt {
        fileprivate let owner: RequestSource
        fileprivate let bytes: Int
    }

    /// Whoever has more than so many bytes waiting gets no further large answer.
    static let limit = 32 << 20
    /// Smaller answers are not counted: a connection holds one at most, and there is a limit of connections.
    static let smallest = 64 << 10

    private let counters: LimitCounters
    /// Bounded by the connections and HTTP/2 streams of the whole server.
    private let owed = Mutex<[RequestSource: Int]>([:])

    init(counters: LimitCounters = LimitCounters()) { self.counters = counters }

    /// Notes an answer of `bytes` that is about to wait for its client; `nil`: it need not be counted.
    ///
    /// - Throws: ``Problem`` 429 where too much waits already.
    func owe(_ bytes: Int, _ caller: Caller, at network: PeerNetwork) throws(Problem) -> Debt? {
        guard bytes >= Self.smallest, !caller.isUnlimited else { return nil }
        let owner = RequestSource(caller, network)
        let isTooMuch = owed.withLock { owed in
            guard owed[owner, default: 0] <= Self.limit else { return true }
            owed[owner, default: 0] += bytes
            return false
        }
        guard isTooMuch else { return Debt(owner: owner, bytes: bytes) }
        counters.answers.add(1, ordering: .relaxed)
        throw .untakenAnswers
    }

    /// An answer was taken, or its connection has ended.
    func pay(_ debt: Debt) {
        owed.withLock { owed in
            let left = owed[debt.owner, default: debt.bytes] - debt.bytes
            owed[debt.owner] = left > 0 ? left : nil
        }
    }
}
