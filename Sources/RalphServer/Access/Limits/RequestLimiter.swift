import RalphWire
import Synchronization

/// Decides whether one more request may be answered now: token buckets for each peer, each device, and the
/// commands of each.
final class RequestLimiter: Sendable {
    /// Peers and devices remembered at once, each.
    static let maximumEntries = 4096

    /// Whose commands are counted together.
    private enum Commander: Hashable {
        case device(DeviceID)
        case peer(PeerNetwork)
    }

    private struct State {
        var peers = FadingTable<PeerNetwork, TokenBucket>(maximumEntries: maximumEntries)
        var devices = FadingTable<DeviceID, TokenBucket>(maximumEntries: maximumEntries)
        var commands = FadingTable<Commander, TokenBucket>(maximumEntries: maximumEntries)
    }

    private let rates: RequestRates
    private let counters: LimitCounters
    private let state = Mutex(State())

    init(_ rates: RequestRates, counters: LimitCounters = LimitCounters()) {
        self.rates = rates
        self.counters = counters
    }

    /// Charges one request to whom it comes from.
    ///
    /// - Parameters:
    ///   - network: where `caller` is.
    ///   - isCommand: whether it asks to change something.
    ///   - now: nanoseconds of a clock that never goes back.
    /// - Returns: `nil` if it may go on; else what to answer. A caller that ``Caller/isUnlimited`` always may.
    func refusal(
        of caller: Caller, at network: PeerNetwork, isCommand: Bool, at now: Int64
    ) -> Problem? {
        if caller.isUnlimited { return nil }
        let device = caller.device
        let wait: Int64? = state.withLock { state in
            if let rate = rates.peer,
                let wait = state.peers.change(network, at: now, { $0.take(rate, at: now) })
            {
                counters.peer.add(1, ordering: .relaxed)
                return wait
            }
            if let rate = rates.device, let device,
                let wait = state.devices.change(device, at: now, { $0.take(rate, at: now) })
            {
                counters.device.add(1, ordering: .relaxed)
                return wait
            }
            let commander = device.map(Commander.device) ?? .peer(network)
            if isCommand, let rate = rates.commands,
                let wait = state.commands.change(commander, at: now, { $0.take(rate, at: now) })
            {
                counters.commands.add(1, ordering: .relaxed)
                return wait
            }
            return nil
        }
        return wait.map { .rateLimited(seconds: Int(($0 + 999_999_999) / 1_000_000_000)) }
    }
}
