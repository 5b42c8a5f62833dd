import RalphWire

/// Whether another iteration follows a summary, only what comes behind it tells, or that nothing does for a while.
extension SessionNarrator {
    /// The start of an iteration that is not told yet.
    struct HeldStart: Equatable {
        var iteration: Int
        /// Milliseconds since 1970.
        var time: Int64
    }

    /// How long behind a summary a run may still end without another iteration, milliseconds: what the configuration
    /// has it wait there and what a wave may take comes on top.
    var startDelay: Int64 {
        (state.memory.endIsAsked ? Self.patientStartDelay : Self.minimumStartDelay) + cooldown + waveDelay
    }

    /// How long the run waits behind its newest summary, milliseconds: not at all where a person had said something.
    var cooldown: Int64 {
        state.memory.skipsCooldown == true ? 0 : workspace?.cooldownMilliseconds ?? 0
    }

    /// What starts if no row comes for ``startDelay``; `nil`: nothing does, or only a row can tell, or the run's output,
    /// whose silence may be a wait of any length.
    var dueStart: HeldStart? {
        let next = state.memory.heldStart
        guard next > 0, !state.hasAgentIterations, !mustEnd(after: next - 1) else { return nil }
        return HeldStart(iteration: next, time: state.memory.heldStartAt)
    }

    /// The held iteration starts.
    ///
    /// - Parameters:
    ///   - isDue: nothing told it until a wave was over.
    ///   - isOutputSilent: see ``beginIteration(_:at:isOutputSilent:into:)``.
    mutating func releaseStart(
        isDue: Bool = false, isOutputSilent: Bool = false, into batch: inout EventBatch
    ) {
        let next = state.memory.heldStart
        state.memory.heldStart = 0
        guard next > 0 else { return }
        flushText(into: &batch)
        let start = state.memory.heldStartAt + (isDue ? waveDelay : 0)
        beginIteration(
            next, at: max(start, heldStartKeptUntil), isOutputSilent: isOutputSilent,
            into: &batch)
        heldStartKeptUntil = 0
    }

    /// Whether what comes behind iteration `number` is to be the run's end: it was asked for, or the limit is reached.
    private func mustEnd(after number: Int) -> Bool {
        state.stopRequestedAt != nil || state.pauseRequestedAt != nil || state.memory.isCancelled == true
            // One that has gone beyond has another limit.
            || number == state.maxIterations ?? workspace?.maxIterations
    }
}
