import Foundation

/// The turn of the agent within an iteration.
extension EventLoop {
    /// Gives the agent its prompt, waits for it, and writes down what the iteration was.
    func runAgent() throws(StandInError) {
        activeHats = selectHats()
        let hat = activeHats.first
        announce(hat)
        let plan = try agentPlan(prompt: try makePrompt())
        let began = Moment.monotonicMilliseconds
        var stream = AgentStream(iteration: state.iteration)
        var process = try AgentProcess(plan)
        let isStream = context.isStream
        let outcome = try process.run { bytes in
            guard isStream else { return Output.raw(bytes) }
            stream.take(bytes).forEach(Output.record)
        } idle: { () throws(StandInError) in
            if Interrupt.isRequested { Interrupt.killOwnGroup() }
            pumpInput()
        }
        if isStream { stream.finish().forEach(Output.record) }
        state.consecutiveFailures = outcome.code == 0 ? 0 : state.consecutiveFailures + 1
        state.isInterrupted = isStream && outcome.code == 130
        state.lastHat = "ralph"
        speaksOfEmit = outcome.output.contains("ralph emit")
        lastFigures = isStream ? stream.figures : AgentStream.Figures()
        lastDuration = Moment.monotonicMilliseconds - began
        state.totalCost += lastFigures.cost
        state.peakInputTokens = max(state.peakInputTokens, lastFigures.inputTokens)
        try logTags(of: outcome.output)
        // The end comes before all that an iteration leaves.
        if !state.isInterrupted { try logSummary() }
        try TextFile.write(state.file, to: workspace.loopState)
    }

    /// The hats whose topics are pending; entry topics count only if nothing else matches (contract 2.6).
    private func selectHats() -> [Hat] {
        func isEntry(_ topic: String) -> Bool {
            topic == "task.start" || topic == "task.resume" || topic.hasSuffix(".start")
                || topic == configuration.entryTopic
        }
        let routed = pending.filter { !$0.topic.hasPrefix("human.") }
        let matches = routed.compactMap { event in
            let target = configuration.hats.first { $0.id == event.target }
            return (target ?? configuration.hats(for: event.topic).first).map { (event.topic, $0) }
        }
        let others = matches.filter { !isEntry($0.0) }
        let chosen = (others.isEmpty ? matches : others).map(\.1)
        let ids = Set(chosen.map(\.id))
        return configuration.hats.filter { ids.contains($0.id) }
    }

    private func announce(_ hat: Hat?) {
        let line = String(repeating: "=", count: 79)
        let id = hat?.id ?? "ralph"
        if !context.isStream {
            Output.line(
                "\n\(line)\n ITERATION \(state.iteration) | ? \(id) | \(state.duration) elapsed | "
                    + "\(state.iteration)/\(context.maxIterations)\n\(line)")
        }
        context.stream(
            "iteration_start",
            [
                JSONMember("iteration", .integer(state.iteration)),
                JSONMember("max_iterations", .integer(context.maxIterations)), JSONMember("hat", .string(id)),
                JSONMember("hat_display", .string(hat?.name ?? "ralph")),
                JSONMember("backend", .string(context.backend)),
                JSONMember("started_at", .integer(Moment().milliseconds)),
            ])
    }

    private func agentPlan(prompt: String) throws(StandInError) -> AgentProcess.Plan {
        // Known defect of ralph: a headless worktree loop starts its agent in the main checkout (contract 5.1).
        let place = context.isStream ? workspace : context.home
        var environment = ProcessInfo.processInfo.environment
        environment["RALPH_BIN"] = context.program
        environment["RALPH_WORKSPACE_ROOT"] = place.root
        environment["RALPH_EVENTS_FILE"] = place.eventsFile
        environment["TMPDIR"] = "/var/tmp"
        let own = (context.program as NSString).deletingLastPathComponent
        environment["PATH"] = own + ":" + (environment["PATH"] ?? "/usr/bin:/bin")
        let isOnInput = configuration.takesPromptOnInput
        var arguments = [configuration.command ?? context.backend] + configuration.arguments
        if !configuration.isPlay { arguments += context.options.agentArguments }
        if !isOnInput { arguments += (configuration.promptFlag.map { [$0] } ?? []) + [prompt] }
        return AgentProcess.Plan(
            arguments: arguments, environment: environment, directory: place.root,
            input: isOnInput ? prompt : nil, onTerminal: context.isStream)
    }

    /// One rich row per event tag in the agent's text, and one for each that no hat takes (contract 2.1).
    private func logTags(of output: String) throws(StandInError) {
        for tag in EventTag.all(in: output) {
            let taker = configuration.hats(for: tag.topic).first
            try events.appendRich(
                iteration: state.iteration, hat: "ralph", topic: tag.topic, triggered: taker?.id,
                payload: tag.payload)
            let isOrphan = taker == nil && !configuration.hats.isEmpty && tag.topic != context.completionTopic
            guard isOrphan, !tag.topic.hasPrefix("human.") else { continue }
            let valid = Set(configuration.hats.flatMap(\.triggers)).sorted().map { "\"\($0)\"" }
            try events.appendRich(
                iteration: state.iteration, hat: "loop", topic: "event.orphaned", triggered: nil,
                payload: "Event '\(tag.topic)' has no subscriber hat. Valid events to publish: "
                    + "[\(valid.joined(separator: ", "))]")
        }
    }

    /// The telemetry row; a headless run knows no figures but the duration (contract 2.7).
    private func logSummary() throws(StandInError) {
        let figures = lastFigures
        let payload = JSONValue.object([
            JSONMember("cache_read_tokens", .integer(figures.cacheRead)),
            JSONMember("cache_write_tokens", .integer(figures.cacheWrite)),
            JSONMember("context_pct", .integer(figures.inputTokens * 100 / 200_000)),
            JSONMember("context_tokens", .integer(figures.inputTokens)),
            JSONMember("context_window", .integer(figures.inputTokens == 0 ? 0 : 200_000)),
            JSONMember("cost_usd", .fraction(figures.cost)),
            JSONMember("duration_ms", .integer(lastDuration)),
            JSONMember("input_tokens", .integer(figures.inputTokens)),
            JSONMember("num_turns", .integer(figures.turns)),
            JSONMember("output_tokens", .integer(figures.outputTokens)),
        ])
        try events.appendRich(
            iteration: state.iteration, hat: "loop", topic: "iteration.summary", triggered: nil,
            payload: payload.compact)
    }
}
