import RalphWire
import Synchronization

/// How often each peer has shown a ticket that is none, so that nobody tries many.
///
/// Peers are IPv4 addresses and IPv6 networks of 64 bits, of which one machine has all addresses.
final class PairingTries: Sendable {
    /// Failed tries of one peer within ``seconds``; the next one is refused unseen.
    static let maximumTries = 5
    /// Seconds for which a failed try counts.
    static let seconds: Int64 = 180
    /// Peers with failed tries at once. While there are so many, others are refused unseen: their tries could not
    /// be counted.
    static let maximumPeers = 1024

    /// The times of failed tries, in milliseconds since 1970, the oldest first.
    private let failures = Mutex<[String: [Int64]]>([:])

    init() {}

    /// What `find` finds for the ticket that a peer shows.
    ///
    /// - Throws: ``Problem`` 401 if it finds nothing, which is counted; 429 when the peer may not try now.
    func attempt<Found>(
        by peer: String, at now: Int64, _ find: () -> Found?
    ) throws(Problem) -> Found {
        let peer = Self.network(of: peer)
        return try failures.withLock { failures throws(Problem) in
            failures = failures.compactMapValues { times in
                let counting = times.filter { $0 > now - Self.seconds * 1000 }
                return counting.isEmpty ? nil : counting
            }
            let own = failures[peer] ?? []
            if own.count >= Self.maximumTries { throw Self.refusal(own, now) }
            if own.isEmpty, failures.count >= Self.maximumPeers {
                throw Self.refusal(failures.values.compactMap(\.last).min().map { [$0] } ?? [], now)
            }
            if let found = find() { return found }
            failures[peer, default: []].append(now)
            throw .invalidTicket
        }
    }

    /// 429 until the first of `times` counts no more.
    private static func refusal(_ times: [Int64], _ now: Int64) -> Problem {
        let until = (times.first ?? now) + seconds * 1000
        return .tooManyTries(retryAfter: Int(max(1, (until - now + 999) / 1000)))
    }

    private static func network(of peer: String) -> String {
        guard let address = IPAddress(peer), !address.isIPv4 else { return peer }
        return Secret.hex(address.bytes.prefix(8))
    }
}
