import RalphWire

/// Which numbers the iterations of a continued run have: it goes on behind the last one, or, where Ralph kept no number
/// or could not read it, it counts from 1 again (contract 4.5, 8). The first one that is told decides.
extension SessionNarrator {
    /// Takes what a row says of it, before anything else of the row counts.
    mutating func noteCount(of line: EngineLine, into batch: inout EventBatch) {
        let isEnd = line.kind == .loopTerminate
        guard state.memory.mayCountAnew == true, line.iteration > 0 || isEnd && line.iteration == 0 else {
            return
        }
        // One that is at its limit ends with the number that it had, and what was left to it meanwhile may be answered
        // with a row of that number.
        let tells = line.kind.tellsOfIterations && !isEnd
        guard tells || line.iteration != state.completedIteration else { return }
        let startedAt = noteCount(line.iteration)
        guard line.iteration > 0, let startedAt, !state.hasAgentIterations else { return }
        let members = encoder.members
        state.memory.announcedStart = line.iteration
        guard line.kind != .iterationStarted else { return }
        emit("iteration.started", at: startedAt, into: &batch)
        encoder.members = members
    }

    /// Iteration `number` is the first one that is told of; when the run's first one began, if it is counted anew.
    @discardableResult
    mutating func noteCount(_ number: Int) -> Int64? {
        guard state.memory.mayCountAnew == true else { return nil }
        state.memory.mayCountAnew = false
        state.revision += 1
        guard number <= state.completedIteration else { return nil }
        let presumed = state.iterations.last { $0.run == state.runs }
        state.iterations.removeAll { $0.run == state.runs }
        state.completedIteration = max(0, number - 1)
        state.iteration = number
        state.memory.beginCount(after: state.completedIteration)
        renumberQuestions(behind: number)
        let startedAt = presumed?.startedAt ?? state.runStartedAt
        guard number > 0 else { return startedAt }
        record(number) { record in
            record.startedAt = startedAt
            record.hat = presumed?.hat ?? ""
        }
        return startedAt
    }
}
