import RalphWire
import Synchronization

/// How often each peer has shown a ticket that is none, so that nobody tries many.
final class PairingTries: Sendable {
    /// Failed tries of one peer within ``seconds``; the next one is refused unseen.
    static let maximumTries = 5
    /// Seconds for which a failed try counts.
    static let seconds: Int64 = 180
    /// Peers with failed tries at once. While there are so many, those of others are not counted, and answered as
    /// if they had been: a flood of wrong tickets keeps nobody from redeeming a right one.
    static let maximumPeers = 1024

    /// Where tries are counted together.
    private struct Source: Hashable {
        let network: PeerNetwork
        /// Those of this machine apart from those that a tunnel on it passes on, or that a page of another site leads to.
        let isLocal: Bool
    }

    /// The times of failed tries, the oldest first.
    private let failures = Mutex<[Source: [Int64]]>([:])

    init() {}

    /// What `find` finds for the ticket that a peer shows.
    ///
    /// - Parameters:
    ///   - isLocal: whether it asks on this machine, and nobody passed on what it asks.
    ///   - now: milliseconds of a clock that never goes back.
    /// - Throws: ``Problem`` 401 if it finds nothing, which is counted; 429 when the peer may not try now.
    func attempt<Found>(
        by peer: String, isLocal: Bool, at now: Int64, _ find: () -> Found?
    ) throws(Problem) -> Found {
        let source = Source(network: PeerNetwork(peer), isLocal: isLocal)
        return try failures.withLock { failures throws(Problem) in
            failures = failures.compactMapValues { times in
                let counting = times.filter { $0 > now - Self.seconds * 1000 }
                return counting.isEmpty ? nil : counting
            }
            let own = failures[source] ?? []
            if own.count >= Self.maximumTries { throw Self.refusal(own, now) }
            if let found = find() { return found }
            if own.isEmpty, failures.count >= Self.maximumPeers {
                throw Self.refusal(failures.values.compactMap(\.last).min().map { [$0] } ?? [], now)
            }
            failures[source, default: []].append(now)
            throw .invalidTicket
        }
    }

    /// 429 until the first of `times` counts no more.
    private static func refusal(_ times: [Int64], _ now: Int64) -> Problem {
        let until = (times.first ?? now) + seconds * 1000
        return .tooManyTries(retryAfter: Int(max(1, (until - now + 999) / 1000)))
    }
}
