import RalphWire
import Synchronization

/// Counts the streams of each device and each peer, so that one of them cannot take all that there are.
final class StreamSeats: Sendable {
    /// What an open stream counts for; given back once, when it ends.
    struct Seat: Sendable {
        fileprivate let owners: [Owner]
    }

    fileprivate enum Owner: Hashable {
        case device(DeviceID)
        case peer(PeerNetwork)
    }

    private let limits: StreamLimits
    private let counters: LimitCounters
    /// Bounded by the streams of the whole server.
    private let taken = Mutex<[Owner: Int]>([:])

    init(_ limits: StreamLimits, counters: LimitCounters) {
        self.limits = limits
        self.counters = counters
    }

    /// Takes a seat for one stream of `caller`.
    ///
    /// Those on this machine are counted by their devices only.
    ///
    /// - Throws: ``Problem`` 429 when its device or its peer has too many.
    func take(for caller: Caller, at network: PeerNetwork) throws(Problem) -> Seat {
        if caller.isUnlimited { return Seat(owners: []) }
        var wanted: [(owner: Owner, limit: Int)] = []
        if let device = caller.device { wanted.append((.device(device), limits.maximumPerDevice)) }
        if !caller.isLocal { wanted.append((.peer(network), limits.maximumPerPeer)) }
        let limit: Int? = taken.withLock { taken in
            for (owner, limit) in wanted where taken[owner, default: 0] >= limit { return limit }
            for (owner, _) in wanted { taken[owner, default: 0] += 1 }
            return nil
        }
        if let limit {
            counters.streams.add(1, ordering: .relaxed)
            throw .tooManyStreams(limit: limit)
        }
        return Seat(owners: wanted.map(\.owner))
    }

    /// The stream has ended.
    func giveBack(_ seat: Seat) {
        guard !seat.owners.isEmpty else { return }
        taken.withLock { taken in
            for owner in seat.owners {
                let left = taken[owner, default: 1] - 1
                taken[owner] = left > 0 ? left : nil
            }
        }
    }

    /// Devices and peers that have streams open.
    var count: Int { taken.withLock(\.count) }
}
