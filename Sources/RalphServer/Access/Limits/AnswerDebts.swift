import RalphWire
import Synchronization

/// How many bytes of answers wait for those who asked for them: a client that asks and asks and takes nothing must not
/// fill the memory.
final class AnswerDebts: Sendable {
    /// Whose answers are counted together.
    fileprivate enum Owner: Hashable {
        case device(DeviceID)
        case peer(PeerNetwork)
    }

    /// A large answer that waits.
    struct Debt {
        fileprivate let owner: Owner
        fileprivate let bytes: Int
    }

    /// Whoever has more than so many bytes waiting is answered nothing more.
    static let limit = 32 << 20
    /// Smaller answers are not counted: a connection holds one at most, and there is a limit of connections.
    private static let smallest = 64 << 10

    private let counters: LimitCounters
    /// Bounded by the connections and HTTP/2 streams of the whole server.
    private let owed = Mutex<[Owner: Int]>([:])

    init(counters: LimitCounters = LimitCounters()) { self.counters = counters }

    /// Notes an answer of `bytes` that was made; `nil`: it is not counted.
    func owe(_ bytes: Int, _ caller: Caller, at network: PeerNetwork) -> Debt? {
        guard bytes >= Self.smallest, !caller.isUnlimited else { return nil }
        let debt = Debt(owner: Self.owner(caller, network), bytes: bytes)
        owed.withLock { $0[debt.owner, default: 0] += bytes }
        return debt
    }

    /// An answer was taken, or its connection has ended.
    func pay(_ debt: Debt) {
        owed.withLock { owed in
            let left = owed[debt.owner, default: debt.bytes] - debt.bytes
            owed[debt.owner] = left > 0 ? left : nil
        }
    }

    /// What to answer instead where too much waits; `nil`: nothing.
    func refusal(of caller: Caller, at network: PeerNetwork) -> Problem? {
        // Nothing large is made for who has no right, and others may come from the same address.
        guard caller.scope != nil else { return nil }
        let isOver = owed.withLock { $0[Self.owner(caller, network), default: 0] > Self.limit }
        guard isOver else { return nil }
        counters.answers.add(1, ordering: .relaxed)
        return .untakenAnswers
    }

    private static func owner(_ caller: Caller, _ network: PeerNetwork) -> Owner {
        caller.device.map { .device($0) } ?? .peer(network)
    }
}
