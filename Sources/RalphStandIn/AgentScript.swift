/// The steps of a scripted agent, iteration by iteration.
struct AgentScript {
    private enum Section: Equatable {
        case always
        case iteration(Int)
        case otherwise
    }

    private var steps: [(section: Section, step: AgentStep)] = []

    /// Reads a script; see ``help`` for the language.
    init(_ text: String) throws(StandInError) {
        var section = Section.always
        for raw in text.split(separator: "\n") {
            let line = raw.drop { $0 == " " || $0 == "\t" }
            if line.isEmpty || line.hasPrefix("#") { continue }
            if line == "always:" {
                section = .always
            } else if line == "otherwise:" {
                section = .otherwise
            } else if line.hasPrefix("iteration "), line.hasSuffix(":"),
                let number = Int(line.dropFirst("iteration ".count).dropLast())
            {
                section = .iteration(number)
            } else if let step = AgentStep(String(line)) {
                steps.append((section, step))
            } else {
                throw .failure("unknown step: \(line)")
            }
        }
    }

    /// What is to be done in iteration `number`, in the order of the file.
    func steps(for number: Int) -> [AgentStep] {
        let isKnown = steps.contains { $0.section == .iteration(number) }
        return steps.filter { entry in
            entry.section == .always || entry.section == .iteration(number)
                || (entry.section == .otherwise && !isKnown)
        }.map(\.step)
    }

    /// The language of the steps.
    static let help = """
        Usage: ralph-stand-in agent [--steps FILE | --demo [--while-locked FILE]] [--ignore-term]
                                    [PROMPT]

        A scripted agent for `cli: {backend: custom, command: ralph-stand-in, args: [agent, --steps, FILE]}`; it works
        under the real ralph too. The prompt is the last argument, or standard input. --ignore-term: SIGTERM does
        nothing. --demo: a play of planner, builder and reviewer that never ends. --while-locked: unless nobody holds a
        flock on FILE any more; then the run is killed, and FILE's directory removed if its name begins with ralph-demo-.

        Steps, one per line; paths are relative to the agent's directory, `#` begins a comment:
          say TEXT                 prints a line
          tool NAME INPUT-JSON     prints a tool call and its result, as lines of a backend's JSON stream
          usage INPUT OUTPUT COST  prints the turn's figures in the same way
          emit TOPIC [PAYLOAD]     calls $RALPH_BIN emit; shows a steer and tries once more
          emit-json TOPIC JSON     the same with a JSON value as payload
          row JSON                 appends a raw line to the events file
          ask TEXT                 emits human.interact
          wait MS                  waits
          wait-for FILE            waits until FILE exists, 60 s at most
          touch FILE               makes FILE
          log-prompt FILE          appends the prompt to FILE
          fail CODE                exits with CODE at once
          complete                 emits LOOP_COMPLETE
        `iteration N:` begins what only iteration N does, `otherwise:` what all iterations without a section of
        their own do, `always:` (also before the first of these) what every iteration does. The iteration is one
        more than that of .ralph/api/loop-state.json.
        """
}
