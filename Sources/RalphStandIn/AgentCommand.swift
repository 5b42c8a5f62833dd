import Foundation
import Glibc

/// `agent`: one turn of the scripted agent.
struct AgentCommand {
    /// What was asked for.
    let options: AgentOptions
    /// Longer than this it does not wait for a file.
    private static let fileDeadlineMilliseconds = 60_000

    /// Does the turn.
    ///
    /// - Returns: what a `fail` step says, 1 where the server of the demonstration is gone, else 0.
    func perform() throws(StandInError) -> Int32 {
        if options.ignoresTermination { signal(SIGTERM, SIG_IGN) }
        let prompt = options.prompt ?? Self.readInput()
        let number = Self.iteration
        let steps =
            options.isDemo
            ? DemoPlay(prompt: prompt, iteration: number, hasNewGuidance: Self.hasNewGuidance).steps
            : try script().steps(for: number)
        for (index, step) in steps.enumerated() {
            if let owner = options.owner, owner.isGone {
                owner.clear()
                return 1
            }
            if case .fail(let code) = step { return code }
            try perform(step, prompt, "toolu_\(number)_\(index)")
        }
        return 0
    }

    private func script() throws(StandInError) -> AgentScript {
        guard let file = options.steps else { throw .usage("agent needs --steps or --demo") }
        guard let text = TextFile.read(file) else { throw .failure("no steps at \(file)") }
        return try AgentScript(text)
    }

    private func perform(_ step: AgentStep, _ prompt: String, _ id: String) throws(StandInError) {
        switch step {
        case .say(let text): Output.line(text)
        case .tool(let name, let input): showTool(name, input, id)
        case .usage(let input, let output, let cost): showUsage(input, output, cost)
        case .emit(let topic, let payload): try emit([topic] + (payload.map { [$0] } ?? []))
        case .emitJSON(let topic, let payload): try emit([topic, payload, "--json"])
        case .ask(let text): try emit(["human.interact", text])
        case .complete: try emit(["LOOP_COMPLETE", "done"])
        case .row(let text): try TextFile.append([text + "\n"], to: Self.eventsFile)
        case .wait(let milliseconds): wait(milliseconds) { false }
        case .waitFor(let file): wait(Self.fileDeadlineMilliseconds) { TextFile.exists(file) }
        case .touch(let file): try TextFile.append([], to: Self.absolute(file))
        case .logPrompt(let file): try TextFile.append([prompt + "\n"], to: Self.absolute(file))
        case .fail: break
        }
    }

    private func wait(_ milliseconds: Int, _ isOver: () -> Bool) {
        let end = Moment.monotonicMilliseconds + milliseconds
        while !isOver(), Moment.monotonicMilliseconds < end {
            Moment.pause(milliseconds: min(10, max(1, end - Moment.monotonicMilliseconds)))
        }
    }

    /// Calls `ralph emit`; a steer that is shown instead is "addressed" by trying again.
    private func emit(_ arguments: [String]) throws(StandInError) {
        let program = ProcessInfo.processInfo.environment["RALPH_BIN"] ?? RunCommand.program
        for _ in 0..<2 {
            let child = try ChildProcess(
                [program, "emit"] + arguments, environment: ProcessInfo.processInfo.environment,
                directory: FileManager.default.currentDirectoryPath, place: .group,
                descriptors: .init(output: 1, error: 2))
            if ChildProcess.isSuccess(child.wait()) { return }
        }
    }

    private func showTool(_ name: String, _ input: String, _ id: String) {
        let value = JSONParser.parse(input) ?? .string(input)
        show(
            "assistant",
            [
                JSONMember("type", .string("tool_use")), JSONMember("id", .string(id)),
                JSONMember("name", .string(name)), JSONMember("input", value),
            ])
        show(
            "user",
            [
                JSONMember("type", .string("tool_result")), JSONMember("tool_use_id", .string(id)),
                JSONMember("content", .string("ok")),
            ])
    }

    private func show(_ type: String, _ content: [JSONMember]) {
        let message = JSONValue.object([JSONMember("content", .array([.object(content)]))])
        Output.line(
            JSONValue.object([JSONMember("type", .string(type)), JSONMember("message", message)]).compact)
    }

    private func showUsage(_ input: Int, _ output: Int, _ cost: String) {
        Output.line(
            JSONValue.object([
                JSONMember("type", .string("result")), JSONMember("total_cost_usd", .number(cost)),
                JSONMember("num_turns", .integer(1)),
                JSONMember(
                    "usage",
                    .object([
                        JSONMember("input_tokens", .integer(input)),
                        JSONMember("output_tokens", .integer(output)),
                    ])),
            ]).compact)
    }

    private static func readInput() -> String {
        String(decoding: FileHandle.standardInput.readDataToEndOfFile(), as: UTF8.self)
    }

    private static func absolute(_ file: String) -> String { Workspace.current.resolve(file) }

    private static var eventsFile: String {
        ProcessInfo.processInfo.environment["RALPH_EVENTS_FILE"] ?? Workspace.nearest().eventsFile
    }

    /// Whether the events file has guidance after its last acknowledgement.
    private static var hasNewGuidance: Bool {
        let lines = (TextFile.read(eventsFile) ?? "").split(separator: "\n").map(String.init)
        let topics = lines.compactMap { IncomingEvent(line: $0)?.topic }
        return topics.last { $0.hasPrefix("human.guidance") } == "human.guidance"
    }

    /// The number of the iteration that runs: ralph has written that of the one before.
    private static var iteration: Int {
        let saved = TextFile.read(Workspace.nearest().loopState).flatMap(JSONParser.parse)
        return (saved?["iteration"]?.integer ?? 0) + 1
    }
}
