import Foundation

/// One run: iteration after iteration until something ends it.
final class EventLoop {
    /// What stays the same.
    let context: RunContext
    /// What changes.
    var state = LoopState()
    /// Events that wait for the next iteration.
    var pending: [IncomingEvent] = []
    /// What of the events file has been read.
    var reader: EventReader
    /// Where rows are written.
    let events: EventsFile
    /// Guidance that came by `--rpc`, written at the top of the next iteration (contract 4.6).
    var guidanceQueue: [String] = []
    /// The commands of a `--rpc` run.
    var input: StreamInput
    /// The hats whose topics started the iteration that runs.
    var activeHats: [Hat] = []
    /// What has come on the bus and is not in the stream yet.
    var published: [IncomingEvent] = []
    /// Of the last iteration.
    var lastFigures = AgentStream.Figures()
    /// Of the last iteration, in milliseconds.
    var lastDuration = 0
    /// Whether the agent's text in the last iteration speaks of `ralph emit`.
    var speaksOfEmit = false
    /// When the heart-beat was written, on the clock that never jumps.
    var lastCheckin = Moment.monotonicMilliseconds

    /// A loop before its first iteration.
    init(_ context: RunContext) {
        self.context = context
        events = EventsFile(path: context.workspace.eventsFile)
        reader = EventReader(path: events.path)
        input = StreamInput(isOpen: context.isStream)
    }

    var configuration: Configuration { context.configuration }
    var workspace: Workspace { context.workspace }

    /// Runs to the end.
    func run() throws(StandInError) -> EndReason {
        if let reason = try runHooks("post.loop.start") { return reason }
        while true {
            if let reason = try iterate() { return reason }
        }
    }

    /// One iteration; a reason if the run ends.
    private func iterate() throws(StandInError) -> EndReason? {
        pumpInput()
        try flushGuidance()
        if Interrupt.isRequested { Interrupt.killOwnGroup() }
        if let reason = checkEnd() { return reason }
        guard try findWork() else { return .stopped }
        if let reason = try runHooks("pre.iteration.start") { return reason }
        state.iteration += 1
        try runAgent()
        if state.isInterrupted { return .interrupted }
        if let reason = checkEnd() {
            streamIterationEnd(isComplete: false)
            return reason
        }
        let batch = readEvents()
        let question = try process(batch)
        if !batch.events.contains(where: isAccepted) { publishDefault() }
        streamIterationEnd(isComplete: state.isCompletionRequested)
        streamPublished()
        if let question { try ask(question) }
        if state.isCancellationRequested { return .cancelled }
        if try isCompletionAccepted() { return .completed }
        streamPublished()
        try writeCheckin()
        if let reason = try runHooks("post.iteration.start") { return reason }
        coolDown()
        return nil
    }

    /// The checks of contract 4.2, in their order. The stop file is removed when it is honoured, and only then.
    func checkEnd() -> EndReason? {
        if state.iteration >= context.maxIterations { return .maxIterations }
        if Double(state.elapsedMilliseconds) / 1000 >= configuration.maxRuntimeSeconds { return .maxRuntime }
        if let limit = configuration.maxCost, state.totalCost >= limit { return .maxCost }
        if state.consecutiveFailures >= configuration.maxConsecutiveFailures { return .consecutiveFailures }
        if state.consecutiveMalformed >= 3 { return .validationFailure }
        if state.repeated.count >= 3 { return .loopStale }
        return checkFiles()
    }

    /// The files that end a run.
    func checkFiles() -> EndReason? {
        if TextFile.exists(workspace.stopRequested) {
            TextFile.remove(workspace.stopRequested)
            return .stopped
        }
        if TextFile.exists(workspace.restartRequested) {
            TextFile.remove(workspace.restartRequested)
            return .restartRequested
        }
        return TextFile.exists(workspace.root) ? nil : .workspaceGone
    }

    /// Makes sure that there is something to do: polls the events file five times, then falls back on a
    /// `task.resume` that only the bus sees. The third time in a row that nothing comes gives up.
    private func findWork() throws(StandInError) -> Bool {
        var polls = 0
        while pending.isEmpty, polls < 5 {
            Moment.pause(milliseconds: 50)
            polls += 1
            if let question = try process(reader.read()) { try ask(question) }
        }
        if pending.isEmpty {
            state.fallbacks += 1
            guard state.fallbacks <= 3 else { return false }
            send(IncomingEvent(topic: "task.resume", payload: "No pending events; continue with the plan."))
        } else {
            state.fallbacks = 0
        }
        streamPublished()
        return true
    }

    /// Waits between iterations, unless a person has said something; nothing is looked at meanwhile (contract 4.2).
    private func coolDown() {
        guard configuration.cooldownSeconds > 0, !pending.contains(where: { $0.topic.hasPrefix("human.") })
        else { return }
        let end = Moment.monotonicMilliseconds + Int(configuration.cooldownSeconds * 1000)
        while Moment.monotonicMilliseconds < end { Moment.pause(milliseconds: 5) }
    }
}
