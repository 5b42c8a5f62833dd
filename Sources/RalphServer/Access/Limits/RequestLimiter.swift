import RalphWire
import Synchronization

/// Decides whether one more request may be answered now: token buckets for each peer, each device, and the
/// commands of each.
final class RequestLimiter: Sendable {
    /// Peers without a right, and peers and devices with one, remembered at once.
    static let maximumEntries = 4096

    private struct State {
        var strangers = FadingTable<RequestSource, TokenBucket>(maximumEntries: maximumEntries)
        var requests = FadingTable<RequestSource, TokenBucket>(maximumEntries: maximumEntries)
        var commands = FadingTable<RequestSource, TokenBucket>(maximumEntries: maximumEntries)
    }

    private let rates: RequestRates
    private let counters: LimitCounters
    private let state = Mutex(State())

    init(_ rates: RequestRates, counters: LimitCounters) {
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
        let source = RequestSource(caller, network)
        let wait: Int64? = state.withLock { state in
            self.wait(for: source, isCommand: isCommand, at: now, &state)
        }
        return wait.map { .rateLimited(seconds: Int(($0 + 999_999_999) / 1_000_000_000)) }
    }

    private func wait(for source: RequestSource, isCommand: Bool, at now: Int64, _ state: inout State)
        -> Int64?
    {
        let wait: Int64?
        switch source {
        case .stranger:
            // They have a table of their own, so that no number of them makes others share.
            wait = rates.peer.flatMap { rate in
                state.strangers.change(source, at: now) { $0.take(rate, at: now) }
            }
            if wait != nil { counters.peer.add(1, ordering: .relaxed) }
            return wait
        case .known:
            wait = rates.peer.flatMap { rate in
                state.requests.change(source, at: now) { $0.take(rate, at: now) }
            }
            if wait != nil { counters.peer.add(1, ordering: .relaxed) }
        case .device:
            wait = rates.device.flatMap { rate in
                state.requests.change(source, at: now) { $0.take(rate, at: now) }
            }
            if wait != nil { counters.device.add(1, ordering: .relaxed) }
        }
        guard wait == nil, isCommand, let rate = rates.commands else { return wait }
        let next = state.commands.change(source, at: now) { $0.take(rate, at: now) }
        if next != nil { counters.commands.add(1, ordering: .relaxed) }
        return next
    }
}
