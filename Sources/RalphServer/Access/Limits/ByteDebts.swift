import RalphWire
import Synchronization

/// How many bytes are kept for each caller, of answers that wait for those who asked for them, or of bodies: a client that
/// asks and asks and takes nothing, or sends much at once, must not fill the memory.
final class ByteDebts: Sendable {
    /// What is counted.
    enum Kind {
        case answers, bodies
    }

    /// An answer that waits, or a body, that counts.
    struct Debt {
        fileprivate let owner: RequestSource
        let bytes: Int
    }

    /// For whoever has more than so many bytes no further ones are kept.
    static let limit = 32 << 20
    /// Smaller ones are not counted where a connection holds one at most: there is a limit of connections.
    static let smallest = 64 << 10
    /// Smaller ones are not counted where a connection holds many, as over HTTP/2.
    static let smallestOfMany = 1 << 10

    private let kind: Kind
    private let counters: LimitCounters
    /// Bounded by the connections and HTTP/2 streams of the whole server.
    private let owed = Mutex<[RequestSource: Int]>([:])

    init(_ kind: Kind, counters: LimitCounters) {
        self.kind = kind
        self.counters = counters
    }

    /// Notes an answer or a body of `bytes` that is about to be kept; `nil`: it need not be counted.
    ///
    /// - Parameters:
    ///   - isOneOfMany: whether its connection may hold many.
    ///   - isRefusable: whether it need not be kept; else it counts however much there is.
    /// - Throws: ``Problem`` 429 where too much is kept already.
    func owe(
        _ bytes: Int, _ caller: Caller, at network: PeerNetwork, isOneOfMany: Bool, isRefusable: Bool = true
    ) throws(Problem) -> Debt? {
        guard bytes >= (isOneOfMany ? Self.smallestOfMany : Self.smallest), !caller.isUnlimited else {
            return nil
        }
        let owner = RequestSource(caller, network)
        let isTooMuch = owed.withLock { owed in
            guard !isRefusable || owed[owner, default: 0] <= Self.limit else { return true }
            owed[owner, default: 0] += bytes
            return false
        }
        guard isTooMuch else { return Debt(owner: owner, bytes: bytes) }
        throw refusal()
    }

    /// What to answer if too much is kept for `caller` already; `nil`: it is not.
    func refusal(of caller: Caller, at network: PeerNetwork) -> Problem? {
        guard !caller.isUnlimited else { return nil }
        let owner = RequestSource(caller, network)
        return owed.withLock { $0[owner, default: 0] > Self.limit } ? refusal() : nil
    }

    private func refusal() -> Problem {
        switch kind {
        case .answers:
            counters.answers.add(1, ordering: .relaxed)
            return .untakenAnswers
        case .bodies:
            counters.bodies.add(1, ordering: .relaxed)
            return .tooManyBodies
        }
    }

    /// An answer was taken, a body is no longer needed, or its connection has ended.
    func pay(_ debt: Debt) {
        owed.withLock { owed in
            let left = owed[debt.owner, default: debt.bytes] - debt.bytes
            owed[debt.owner] = left > 0 ? left : nil
        }
    }
}
