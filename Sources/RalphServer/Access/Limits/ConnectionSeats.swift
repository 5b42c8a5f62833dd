import Synchronization

/// Counts the connections of each peer, so that one of them cannot take all that there are.
final class ConnectionSeats: Sendable {
    private let limit: Int
    private let countsLoopback: Bool
    /// Their connections are those of many.
    private let proxies: [AddressRange]
    private let counters: LimitCounters
    /// Bounded by the connections of the whole server.
    private let taken = Mutex<[PeerNetwork: Int]>([:])

    init(_ limits: HTTPLimits, proxies: [AddressRange], counters: LimitCounters) {
        limit = limits.maximumConnectionsPerPeer
        countsLoopback = limits.countsLoopback
        self.proxies = proxies
        self.counters = counters
    }

    /// Takes a seat for one connection from `address`; `false`: it has too many.
    ///
    /// - Parameter address: `nil`: not known; nobody counts those.
    func take(_ address: String?) -> Bool {
        guard let network = counted(address) else { return true }
        let isFree = taken.withLock { taken in
            guard taken[network, default: 0] < limit else { return false }
            taken[network, default: 0] += 1
            return true
        }
        if !isFree { counters.connections.add(1, ordering: .relaxed) }
        return isFree
    }

    /// A connection for which a seat was taken has ended.
    func giveBack(_ address: String?) {
        guard let network = counted(address) else { return }
        taken.withLock { taken in
            let left = taken[network, default: 1] - 1
            taken[network] = left > 0 ? left : nil
        }
    }

    /// Peers that have connections open and are counted.
    var count: Int { taken.withLock(\.count) }

    private func counted(_ address: String?) -> PeerNetwork? {
        guard let address, let literal = IPAddress(address), countsLoopback || !literal.isLoopback,
            !proxies.contains(where: { $0.contains(literal) })
        else { return nil }
        return PeerNetwork(address)
    }
}
