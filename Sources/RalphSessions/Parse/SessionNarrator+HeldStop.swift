import RalphWire

/// The end of a run, which is not told yet.
struct HeldStop: Sendable, Codable, Equatable {
    var reason: String
    /// Milliseconds since 1970.
    let time: Int64
    let isOwnWord: Bool
    /// Nobody stopped it: the rest of its output is waited for. `nil`: stored before this was noted.
    var isForOutput: Bool?

    /// How long it is held at most, milliseconds; where output is waited for, once all of that has been read.
    var delay: Int64 { isForOutput == true ? SessionNarrator.outputDelay : SessionNarrator.stopDelay }
}

/// A run's last event is told behind everything that the run still said (http-contract 3.4): that of a stop when its
/// processes are gone and its files have been read, or after ``stopDelay``; that of a run with output of its own, which
/// is read by itself, when that has told the end, or after ``outputDelay``.
extension SessionNarrator {
    /// Longer than a stop takes, milliseconds.
    static let stopDelay: Int64 = 25_000
    /// Longer than the pause between two looks at a run's output, milliseconds.
    static let outputDelay: Int64 = 1000

    var heldStop: HeldStop? { state.memory.heldStop }

    /// Tells of a run's end now, or holds that.
    ///
    /// - Parameter isFromOutput: the run's output tells it.
    mutating func tellEnd(
        _ reason: String, at time: Int64, isOwnWord: Bool, isFromOutput: Bool, into batch: inout EventBatch
    ) {
        let isStop = state.stopRequestedAt.map { $0 <= time } ?? false
        let isForOutput = isOwnWord && !isFromOutput && mayOutputTell && state.pauseRequestedAt == nil
        guard isStop || isForOutput else {
            return emitEnd(reason, at: time, isOwnWord: isOwnWord, into: &batch)
        }
        state.memory.heldStop = HeldStop(
            reason: reason, time: time, isOwnWord: isOwnWord, isForOutput: !isStop)
    }

    /// Whether the last run's output may still say something.
    private var mayOutputTell: Bool {
        let hasTold = state.hasAgentIterations || state.memory.output != nil
        return isOutputUntold || hasTold && !state.memory.agentIsPast
    }

    /// Whether nothing was read yet that output says of the last run. It may have some: rows are read at once, output now and
    /// then, and its file may be found behind them.
    private var isOutputUntold: Bool {
        hasOutput && !state.hasAgentIterations && state.memory.output == nil
    }

    /// How long ``heldStop`` is held by now, see ``HeldStop/delay``. One that is old, as at first sight, waits for no output
    /// that is still to be found.
    ///
    /// - Parameter now: milliseconds since 1970.
    func delay(at now: Int64) -> Int64 {
        guard let stop = heldStop else { return 0 }
        let isOld = stop.isForOutput == true && isOutputUntold && now >= stop.time + stop.delay
        return isOld ? 0 : stop.delay
    }

    mutating func releaseStop(into batch: inout EventBatch) {
        guard let held = state.memory.heldStop else { return }
        state.memory.heldStop = nil
        state.revision += 1
        flushText(into: &batch)
        releaseEnd(into: &batch)
        tellLostEnd(at: held.time, into: &batch)
        emitEnd(held.reason, at: held.time, isOwnWord: held.isOwnWord, isLate: true, into: &batch)
    }

    /// The output has told the run's end: nothing comes behind it.
    mutating func releaseOutputStop(into batch: inout EventBatch) {
        if state.memory.heldStop?.isForOutput == true { releaseStop(into: &batch) }
    }

    /// Says which iterations ended where the output goes on with a later one and a summary has told it: those lines are lost
    /// (contract 4.8). Each that comes later all the same finds its iteration told.
    mutating func tellLostEnds(before number: Int, into batch: inout EventBatch) {
        guard state.hasAgentIterations else { return }
        let lost = state.iterations.filter { record in
            record.run == state.runs && record.number > state.memory.announcedEnd
                && record.number < number && record.number <= state.completedIteration
        }
        for record in lost.sorted(by: { $0.number < $1.number }) {
            guard let start = record.startedAt else { continue }
            if state.memory.announcedStart < record.number {
                state.memory.announcedStart = record.number
                emit(
                    "iteration.started", at: start, iteration: record.number, hat: record.hat, into: &batch)
            }
            state.memory.announcedEnd = record.number
            let figures = IterationFigures(duration: record.durationMilliseconds.map { Int($0) })
            emit(
                "iteration.completed", at: start + (record.durationMilliseconds ?? 0),
                iteration: record.number, hat: record.hat, payload: figures.payload, into: &batch)
        }
    }

    /// Says that the last iteration ended where the output does not: that line is lost (contract 4.8).
    private mutating func tellLostEnd(at time: Int64, into batch: inout EventBatch) {
        let number = state.completedIteration
        guard state.hasAgentIterations, state.memory.announcedEnd < number,
            state.memory.announcedStart >= number
        else { return }
        state.memory.announcedEnd = number
        // Where it is only unread it is no news any more.
        if state.memory.agentIteration == number { state.memory.agentEnded = number }
        let duration = recordedIteration(number)?.durationMilliseconds
        let figures = IterationFigures(duration: duration.map { Int($0) })
        emit("iteration.completed", at: time, iteration: number, payload: figures.payload, into: &batch)
    }
}
