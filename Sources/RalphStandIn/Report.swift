/// The markdown that a finished run leaves: `agent/summary.md`, and `agent/handoff.md` after a success.
struct Report {
    /// The run.
    let context: RunContext
    /// How it stood at its end.
    let state: LoopState

    /// The summary lies below the directory that ralph was started in, whichever loop this is (contract 1.1).
    func write(_ reason: EndReason) throws(StandInError) {
        let summary = """
            # Loop Summary

            **Status:** \(reason.headline)
            **Iterations:** \(state.iteration)
            **Duration:** \(state.duration)

            ## Tasks

            _No scratchpad found._

            ## Events

            _No events recorded._

            """
        try TextFile.write(summary, to: context.home.summary)
        guard reason == .completed else { return }
        let handoff = """
            # Session Handoff

            _Generated: \(Moment().heading)_

            ## Next Session

            Session completed successfully. No pending work.

            **Original objective:**

            ```
            \(context.prompt)
            ```

            """
        try TextFile.write(handoff, to: context.workspace.handoff)
    }
}
