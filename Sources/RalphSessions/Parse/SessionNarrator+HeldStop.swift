import RalphWire

/// The end of a run that somebody stopped, which is not told yet.
struct HeldStop: Sendable, Codable, Equatable {
    var reason: String
    /// Milliseconds since 1970.
    let time: Int64
    let isOwnWord: Bool
}

/// A stop's last event is told behind everything that the run still said (http-contract 3.4): when its processes are
/// gone and its files have been read, or after ``stopDelay``.
extension SessionNarrator {
    /// Longer than a stop takes, milliseconds.
    static let stopDelay: Int64 = 25_000

    var heldStop: HeldStop? { state.memory.heldStop }

    /// Tells of a run's end now, or holds that.
    mutating func tellEnd(_ reason: String, at time: Int64, isOwnWord: Bool, into batch: inout EventBatch) {
        if let asked = state.stopRequestedAt, asked <= time {
            state.memory.heldStop = HeldStop(reason: reason, time: time, isOwnWord: isOwnWord)
        } else {
            emitEnd(reason, at: time, isOwnWord: isOwnWord, into: &batch)
        }
    }

    mutating func releaseStop(into batch: inout EventBatch) {
        guard let held = state.memory.heldStop else { return }
        state.memory.heldStop = nil
        state.revision += 1
        flushText(into: &batch)
        emitEnd(held.reason, at: held.time, isOwnWord: held.isOwnWord, into: &batch)
    }
}
