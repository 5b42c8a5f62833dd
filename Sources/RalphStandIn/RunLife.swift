import Foundation

/// The files of a run from its start row to its `loop.terminate`.
struct RunLife {
    /// The run.
    let context: RunContext

    /// A run before its start row.
    init(_ context: RunContext) { self.context = context }

    private var workspace: Workspace { context.workspace }

    /// Runs the loop; the exit status.
    func run() throws(StandInError) -> Int32 {
        try prepare()
        let loop = EventLoop(context)
        if let reason = try loop.runHooks("pre.loop.start") { return try end(loop, reason) }
        try begin(loop)
        Interrupt.arm()
        announce(loop)
        return try end(loop, try loop.run())
    }

    /// Clears what a fresh run clears, and nothing more; then its id, and the pointer before the file that it names.
    private func prepare() throws(StandInError) {
        try TextFile.makeDirectory(workspace.agentDirectory)
        TextFile.remove(workspace.urgentSteer)
        if !context.options.isContinuation {
            TextFile.remove(context.scratchpad)
            TextFile.remove(workspace.loopState)
        }
        try TextFile.write(context.loopID, to: workspace.loopID)
        if !context.options.isContinuation {
            try TextFile.write(".ralph/events-\(Moment().stamp).jsonl", to: workspace.pointer)
        }
    }

    private func begin(_ loop: EventLoop) throws(StandInError) {
        let isContinuation = context.options.isContinuation
        let replay = EventReader.replay(loop.events.path)
        let topic =
            context.configuration.startingEvent ?? (isContinuation ? "task.resume" : "task.start")
        try loop.events.appendRich(
            iteration: 0, hat: "loop", topic: topic, triggered: "planner", payload: context.prompt)
        loop.reader = EventReader(path: loop.events.path)
        try LoopHistory(path: workspace.history).started(prompt: context.prompt)
        if isContinuation {
            loop.state.restore(TextFile.read(workspace.loopState) ?? "")
            loop.pending = [IncomingEvent(topic: "task.resume", payload: context.prompt)]
            loop.state.seenTopics = replay.topics
            var batch = EventReader.Batch()
            batch.events = replay.events
            _ = try loop.process(batch)
            loop.published = []
        } else {
            loop.pending = [IncomingEvent(topic: topic, payload: context.prompt)]
        }
    }

    private func announce(_ loop: EventLoop) {
        context.say(
            """

            -- ralph loop \(context.loopID) · \(context.options.isContinuation ? "resume" : "start") \
            · backend=\(context.backend) · prompt=\(context.promptOrigin) · 0/\(context.maxIterations) --
              events:     \(loop.events.path)
              scratchpad: \(context.scratchpad)
              resume:     ralph run --continue --loop-id \(context.loopID)
            """)
        context.stream(
            "loop_started",
            [
                JSONMember("prompt", .string(context.prompt)),
                JSONMember("max_iterations", .integer(context.maxIterations)),
                JSONMember("backend", .string(context.backend)),
                JSONMember("workspace_root", .string(workspace.root)),
                JSONMember("started_at", .integer(Moment().milliseconds)),
            ])
    }

    /// The clean end. Landing commits, which real ralph makes after a completed run, are left out.
    private func end(_ loop: EventLoop, _ reason: EndReason) throws(StandInError) -> Int32 {
        let phase = reason == .completed || reason == .cancelled ? "loop.complete" : "loop.error"
        _ = try loop.runHooks("pre." + phase)
        let payload =
            "## Reason\n\(reason.rawValue)\n\n## Status\n\(reason.status)\n\n## Summary\n- Iterations: "
            + "\(loop.state.iteration)\n- Duration: \(loop.state.duration)\n- Exit code: \(reason.exitCode)"
        try loop.events.appendRich(
            iteration: loop.state.iteration, hat: "loop", topic: "loop.terminate", triggered: nil,
            payload: payload)
        loop.stream(IncomingEvent(topic: "loop.terminate", payload: payload))
        try Report(context: context, state: loop.state).write(reason)
        try LoopHistory(path: workspace.history).ended(reason)
        try LoopRegistry(path: context.home.registry).remove(pid: getpid())
        try enqueue(reason)
        TextFile.remove(workspace.urgentSteer)
        _ = try loop.runHooks("post." + phase)
        streamEnd(loop, reason)
        return reason.exitCode
    }

    /// A completed worktree loop waits for its merge.
    private func enqueue(_ reason: EndReason) throws(StandInError) {
        guard reason == .completed, !context.isPrimary, context.configuration.mergesAutomatically,
            context.options.mergesAutomatically
        else { return }
        try MergeQueue(path: context.home.mergeQueue).append(
            .queued(prompt: context.prompt), of: context.loopID)
        try LoopHistory(path: workspace.history).mergeQueued()
    }

    private func streamEnd(_ loop: EventLoop, _ reason: EndReason) {
        guard context.isStream else {
            return Output.line("\nLoop terminated: \(reason.rawValue), iterations: \(loop.state.iteration)")
        }
        context.stream(
            "loop_terminated",
            [
                JSONMember("reason", .string(reason.streamName)),
                JSONMember("total_iterations", .integer(loop.state.iteration)),
                JSONMember("duration_ms", .integer(loop.state.elapsedMilliseconds)),
                JSONMember("total_cost_usd", .fraction(loop.state.totalCost)),
                JSONMember("terminated_at", .integer(Moment().milliseconds)),
            ])
        loop.input.waitForEnd { _ in }
    }
}
