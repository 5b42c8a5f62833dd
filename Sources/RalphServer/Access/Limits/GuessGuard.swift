import Synchronization

/// Makes guessing keys slow, without locking anybody out who shows a device's token.
final class GuessGuard: Sendable {
    /// Peers remembered at once.
    static let maximumEntries = 4096
    /// Answers that are held back at once, of all peers.
    static let maximumHeld = 256
    /// Keys that are looked at of all peers together who are not remembered while there is no room for more.
    static let newcomers = RequestRates.Rate(perSecond: 64, burst: 64)

    private struct State {
        var records = FadingTable<PeerNetwork, GuessRecord>(maximumEntries: maximumEntries)
        /// When the answers that are held back are due, the next first: all are held back equally long.
        var dueTimes: [Int64] = []
        /// Looks at keys of whom there is no room to remember.
        var newcomers = TokenBucket()
    }

    private let counters: LimitCounters
    private let isOff: Bool
    private let state = Mutex(State())

    /// - Parameter isOff: every wrong key is answered at once.
    init(counters: LimitCounters, isOff: Bool) {
        self.counters = counters
        self.isOff = isOff
    }

    /// Whether a key from there is not even to be looked at; counts it as refused then.
    ///
    /// - Parameters:
    ///   - isLocal: whether only this machine is there, which is always remembered or looked at.
    ///   - now: nanoseconds of a clock that never goes back.
    func isExhausted(_ network: PeerNetwork, isLocal: Bool = false, at now: Int64) -> Bool {
        guard !isOff else { return false }
        let isExhausted = state.withLock { state in
            guard state.records.holds(network) else {
                // Who shares a record does not answer for the guesses of all, but all together have so many looks.
                return !isLocal && state.records.isFull(at: now)
                    && state.newcomers.take(Self.newcomers, at: now) != nil
            }
            let hasRoom = Self.hasRoom(&state.dueTimes, at: now)
            return state.records.change(network, at: now) { $0.isExhausted(hasRoomInAll: hasRoom, at: now) }
        }
        if isExhausted { counters.refusedGuesses.add(1, ordering: .relaxed) }
        return isExhausted
    }

    /// Notes a wrong key, token or ticket, and says what becomes of it.
    func note(_ network: PeerNetwork, at now: Int64) -> GuessRecord.Verdict {
        guard !isOff else { return .atOnce }
        let verdict = state.withLock { state in
            let hasRoom = Self.hasRoom(&state.dueTimes, at: now)
            let verdict = state.records.change(network, at: now) { $0.note(hasRoomInAll: hasRoom, at: now) }
            if case .held(let delay) = verdict {
                state.dueTimes.append(now + delay.components.seconds * 1_000_000_000)
            }
            return verdict
        }
        switch verdict {
        case .atOnce: break
        case .held: counters.heldGuesses.add(1, ordering: .relaxed)
        case .refused: counters.refusedGuesses.add(1, ordering: .relaxed)
        }
        return verdict
    }

    private static func hasRoom(_ dueTimes: inout [Int64], at now: Int64) -> Bool {
        if let first = dueTimes.first, first <= now {
            dueTimes.removeFirst(dueTimes.firstIndex { $0 > now } ?? dueTimes.count)
        }
        return dueTimes.count < maximumHeld
    }
}
