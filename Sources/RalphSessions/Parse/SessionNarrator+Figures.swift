package import RalphWire

/// What is counted, where it is read: once, and on the day of the event that tells it.
extension SessionNarrator {
    /// What was counted since this was last asked; to be stored with the same read's events.
    ///
    /// - Parameter now: milliseconds since 1970.
    package mutating func takeFigures(now: Int64) -> FigureDays {
        guard !figures.isEmpty else { return figures }
        defer { figures = FigureDays() }
        return figures.folded(now: now)
    }

    /// The time of what is being read as far as figures go: a row that is dated ahead is as new as its file. A file whose own
    /// time was never set, as in some archives, says nothing.
    func counted(_ time: Int64) -> Int64 {
        guard let readFileTime, FigureDays.day(of: readFileTime) >= FigureDays.firstDay else { return time }
        return Self.believed(time, readFileTime)
    }

    /// Iteration `number` ended; whichever source says so first is heard.
    ///
    /// To be called before ``SessionState/completedIteration`` moves.
    mutating func countIteration(_ number: Int, at time: Int64, duration: Int?) {
        let day = counted(time)
        if number > state.completedIteration { figures.change(at: day) { $0.iterations += 1 } }
        guard state.runEndedAt == nil else { return }
        if state.workedThrough == nil {
            let start = state.runStartedAt ?? day - Int64(min(duration ?? 0, 1_000_000_000))
            state.workedThrough = start
            figures.open(\.runMilliseconds, at: start)
        }
        countWork(through: time)
    }

    /// What an iteration used, once.
    mutating func countUsage(_ used: IterationFigures, at time: Int64) {
        let time = counted(time)
        figures.change(at: time) { figures in
            figures.inputTokens += Int64(used.inputTokens)
            figures.outputTokens += Int64(used.outputTokens)
            figures.cacheReadTokens += Int64(used.cacheReadTokens)
            figures.cacheWriteTokens += Int64(used.cacheWriteTokens)
            figures.peakInputTokens = max(figures.peakInputTokens, Int64(used.inputTokens))
            figures.addCost(used.cost)
        }
        state.signs?.noteTokens(used.inputTokens + used.outputTokens, duration: used.duration ?? 0, to: time)
    }

    /// A verdict on an agent's evidence.
    mutating func countGate(_ isPassed: Bool, at time: Int64) {
        let time = counted(time)
        figures.change(at: time) { figures in
            if isPassed { figures.gatesPassed += 1 } else { figures.gatesFailed += 1 }
        }
        state.signs?.noteGate(isPassed, at: time)
    }

    /// A run begins; to be called before the one before is forgotten.
    ///
    /// One that went away without a word is taken to have worked until its last event.
    mutating func countStart(at time: Int64) {
        let time = counted(time)
        if let last = lastEvent(before: time), last > state.workedThrough ?? .max {
            countWork(through: min(last, time))
        }
        closeWork()
        state.workedThrough = time
        figures.open(\.runMilliseconds, at: time)
        figures.change(at: time) { $0.runs += 1 }
        state.signs?.beginRun()
    }

    /// The newest event but for the row of `time`, which is being read.
    func lastEvent(before time: Int64) -> Int64? {
        state.lastEventAt ?? .min < counted(time) ? state.lastEventAt : previousEventAt
    }

    /// The run is over.
    mutating func countEnd(at time: Int64) {
        if state.workedThrough == nil, let start = state.runStartedAt {
            state.workedThrough = start
            figures.open(\.runMilliseconds, at: start)
        }
        countWork(through: time)
        closeWork()
    }

    /// Counts the time of the run as far as it is not counted yet. A time that is too far on to be counted, and later than
    /// that of any event that is believed, is a mistake of its row alone.
    private mutating func countWork(through time: Int64) {
        let end = counted(time)
        guard let start = state.workedThrough, end > start,
            time - start <= FigureDays.longestSpan || time <= state.lastEventAt ?? .min
        else { return }
        figures.addSpan(\.runMilliseconds, from: start, to: end)
        figures.close(\.runMilliseconds, since: start)
        figures.open(\.runMilliseconds, at: end)
        state.workedThrough = end
    }

    private mutating func closeWork() {
        guard let counted = state.workedThrough else { return }
        figures.close(\.runMilliseconds, since: counted)
        state.workedThrough = nil
    }
}
