import Foundation

/// Hooks, and the only pause that keeps the process (contract 4.4).
extension EventLoop {
    /// Runs the hooks of `phase`; a reason if the run ends there.
    func runHooks(_ phase: String) throws(StandInError) -> EndReason? {
        for hook in configuration.hooks[phase] ?? [] {
            guard let problem = try run(hook, phase) else { continue }
            let what = "Lifecycle hook '\(hook.name)'"
            switch hook.failure {
            case .warn: context.say("WARN \(what) failed at '\(phase)': \(problem)")
            case .block: throw .failure("\(what) blocked orchestration at '\(phase)': \(problem)")
            case .suspend:
                if hook.suspendMode == .retryBackoff, try retries(hook, phase) { continue }
                let reason = "\(what) suspended orchestration at '\(phase)': \(problem)"
                if let end = try suspend(hook, phase, reason) { return end }
            }
        }
        return nil
    }

    private func retries(_ hook: Hook, _ phase: String) throws(StandInError) -> Bool {
        for delay in [100, 200, 400] {
            Moment.pause(milliseconds: delay)
            if try run(hook, phase) == nil { return true }
        }
        return false
    }

    /// Waits for a file; a signal changes nothing here.
    private func suspend(_ hook: Hook, _ phase: String, _ reason: String) throws(StandInError) -> EndReason? {
        let mode = hook.suspendMode
        let record = JSONValue.object([
            JSONMember("schema_version", .integer(1)), JSONMember("state", .string("suspended")),
            JSONMember("loop_id", .string(context.loopID)), JSONMember("phase_event", .string(phase)),
            JSONMember("hook_name", .string(hook.name)), JSONMember("reason", .string(reason)),
            JSONMember("suspend_mode", .string(mode.rawValue)),
            JSONMember("suspended_at", .string(Moment().zuluText)),
        ])
        if let reason = try waitForResume(record) { return reason }
        // It is tried once more, and what it says then is waited for as for any other.
        guard mode == .waitThenRetry, try run(hook, phase) != nil else { return nil }
        return try waitForResume(record)
    }

    /// Suspended, as `record` says, until a file says otherwise; a reason if the run ends by it.
    private func waitForResume(_ record: JSONValue) throws(StandInError) -> EndReason? {
        try TextFile.replace(workspace.suspendState, with: record.pretty)
        // A file that asks to resume is used up once: another one that comes meanwhile is the next suspension's.
        defer { TextFile.remove(workspace.suspendState) }
        let owner = DemoOwner(agentArguments: configuration.arguments)
        while true {
            // Nobody would resume it; the agent, whose turn is next, ends it.
            if owner?.isGone == true { return nil }
            if let reason = checkFiles() {
                TextFile.remove(workspace.resumeRequested)
                return reason
            }
            if TextFile.remove(workspace.resumeRequested) { return nil }
            Moment.pause(milliseconds: 250)
        }
    }

    /// Runs one hook; what went wrong, or `nil`.
    private func run(_ hook: Hook, _ phase: String) throws(StandInError) -> String? {
        guard !hook.command.isEmpty else { return "hook has no command" }
        let input = try DescriptorPair.pipe()
        defer { close(input.writing) }
        let child: ChildProcess
        do {
            defer { close(input.reading) }
            child = try ChildProcess(
                hook.command,
                environment: ProcessInfo.processInfo.environment.merging(hook.environment) { $1 },
                directory: hook.directory.map(workspace.resolve) ?? workspace.root, place: .group,
                descriptors: .init(input: input.reading))
        } catch {
            return error.message
        }
        Output.write(Array(hookInput(phase).compact.utf8), to: input.writing)
        let end = Moment.monotonicMilliseconds + Int(hook.timeoutSeconds * 1000)
        while Moment.monotonicMilliseconds < end {
            if let status = child.status() {
                let code = ChildProcess.code(status)
                return code == 0 ? nil : "hook exited with code \(code)"
            }
            Moment.pause(milliseconds: 2)
        }
        kill(child.pid, SIGKILL)
        _ = child.wait()
        return "hook timed out"
    }

    /// What a hook reads on its standard input.
    private func hookInput(_ phase: String) -> JSONValue {
        let parts = phase.split(separator: ".", maxSplits: 1)
        let hat = activeHats.first?.id ?? "ralph"
        return .object([
            JSONMember("schema_version", .integer(1)), JSONMember("phase", .string(String(parts[0]))),
            JSONMember("event", .string(String(parts.last ?? ""))), JSONMember("phase_event", .string(phase)),
            JSONMember("timestamp", .string(Moment().zuluText)),
            JSONMember(
                "loop",
                .object([
                    JSONMember("id", .string(context.loopID)),
                    JSONMember("is_primary", .bool(context.isPrimary)),
                    JSONMember("workspace", .string(workspace.root)),
                    JSONMember("repo_root", .string(context.home.root)),
                    JSONMember("pid", .integer(getpid())),
                ])),
            JSONMember(
                "iteration",
                .object([
                    JSONMember("current", .integer(state.iteration)),
                    JSONMember("max", .integer(context.maxIterations)),
                ])),
            JSONMember("context", .object([JSONMember("active_hat", .string(hat))])),
        ])
    }
}
