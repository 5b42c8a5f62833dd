/// The `--rpc` stream: commands in, records out (contract 4.8).
extension EventLoop {
    /// Does what has been asked on standard input.
    func pumpInput() {
        for line in input.lines() { command(line) }
    }

    private func command(_ line: String) {
        guard let command = JSONParser.parse(line), let type = command["type"]?.text else {
            return reply("parse", nil, error: "JSON parse error")
        }
        let id = command["id"]?.text
        switch type {
        case "guidance", "follow_up", "steer":
            let message = command["message"]?.text ?? ""
            if type == "steer" {
                // A steer that cannot be written reaches the agent as guidance all the same.
                try? UrgentSteer(path: workspace.urgentSteer).add(message)
            }
            guidanceQueue.append(message)
            context.stream(
                "guidance_ack",
                [
                    JSONMember("message", .string(message)),
                    JSONMember("applies_to", .string(type == "steer" ? "current" : "next")),
                ])
            reply(type, id)
        case "abort": Interrupt.killOwnGroup()
        case "get_state": reply(type, id, data: currentState)
        case "get_iterations":
            reply(
                type, id,
                data: .object([
                    JSONMember("include_content", .bool(false)),
                    JSONMember("iteration", .integer(state.iteration)),
                    JSONMember("max_iterations", .integer(context.maxIterations)),
                ]))
        case "prompt", "set_hat", "extension_ui_response": reply(type, id, error: "not supported")
        default: reply("parse", nil, error: "JSON parse error: unknown variant `\(type)`")
        }
    }

    private var currentState: JSONValue {
        let zero = ["closed", "open", "ready", "total"].map { JSONMember($0, .integer(0)) }
        return .object([
            JSONMember("active_task", .null), JSONMember("backend", .string(context.backend)),
            JSONMember("completed", .bool(false)),
            JSONMember("hat", .string(activeHats.first?.id ?? "ralph")),
            JSONMember("hat_display", .string(activeHats.first?.name ?? "ralph")),
            JSONMember("iteration", .integer(state.iteration)), JSONMember("iteration_started_at", .null),
            JSONMember("max_iterations", .integer(context.maxIterations)),
            JSONMember("started_at", .integer(state.startedAtWallClock)),
            JSONMember("task_counts", .object(zero)),
            JSONMember("total_cost_usd", .fraction(state.totalCost)),
        ])
    }

    private func reply(_ command: String, _ id: String?, data: JSONValue? = nil, error: String? = nil) {
        var members = [JSONMember("command", .string(command))]
        if let id { members.append(JSONMember("id", .string(id))) }
        members.append(JSONMember("success", .bool(error == nil)))
        if let data { members.append(JSONMember("data", data)) }
        if let error { members.append(JSONMember("error", .string(error))) }
        context.stream("response", members)
    }

    /// Guidance of the stream becomes rows only here, and is read one iteration later (contract 4.6).
    func flushGuidance() throws(StandInError) {
        for text in guidanceQueue { try events.appendSimple(topic: "human.guidance", payload: .string(text)) }
        guidanceQueue = []
    }

    /// Says that an iteration is over.
    func streamIterationEnd(isComplete: Bool) {
        let figures = lastFigures
        context.stream(
            "iteration_end",
            [
                JSONMember("iteration", .integer(state.iteration)),
                JSONMember("duration_ms", .integer(lastDuration)),
                JSONMember("cost_usd", .fraction(figures.cost)),
                JSONMember("input_tokens", .integer(figures.inputTokens)),
                JSONMember("output_tokens", .integer(figures.outputTokens)),
                JSONMember("cache_read_tokens", .integer(figures.cacheRead)),
                JSONMember("cache_write_tokens", .integer(figures.cacheWrite)),
                JSONMember("context_window", .integer(figures.inputTokens == 0 ? 0 : 200_000)),
                JSONMember("context_tokens", .integer(figures.inputTokens)),
                JSONMember("loop_complete_triggered", .bool(isComplete)),
            ])
    }

    /// Says what has come on the bus since.
    func streamPublished() {
        for event in published { stream(event) }
        published = []
    }

    /// Says that an event is on the bus.
    func stream(_ event: IncomingEvent) {
        var members = [
            JSONMember("topic", .string(event.topic)), JSONMember("payload", .string(event.payload ?? "")),
        ]
        if let source = event.source { members.append(JSONMember("source", .string(source))) }
        if let target = event.target { members.append(JSONMember("target", .string(target))) }
        context.stream("orchestration_event", members)
    }
}
