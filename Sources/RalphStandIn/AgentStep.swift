/// One line of a script for the scripted agent.
enum AgentStep: Equatable {
    case say(String)
    case tool(name: String, input: String)
    case emit(topic: String, payload: String?)
    case emitJSON(topic: String, payload: String)
    case row(String)
    case ask(String)
    case wait(milliseconds: Int)
    case waitFor(String)
    case touch(String)
    case logPrompt(String)
    case usage(input: Int, output: Int, cost: String)
    case fail(Int32)
    case complete

    /// `nil` if the line says nothing that is known.
    init?(_ line: String) {
        let parts = line.split(separator: " ", maxSplits: 1).map(String.init)
        let rest = parts.count > 1 ? parts[1] : ""
        let words = rest.split(separator: " ", maxSplits: 1).map(String.init)
        switch parts.first {
        case "say": self = .say(rest)
        case "tool" where !words.isEmpty:
            self = .tool(name: words[0], input: words.count > 1 ? words[1] : "{}")
        case "emit" where !words.isEmpty:
            self = .emit(topic: words[0], payload: words.count > 1 ? words[1] : nil)
        case "emit-json" where words.count > 1: self = .emitJSON(topic: words[0], payload: words[1])
        case "row": self = .row(rest)
        case "ask": self = .ask(rest)
        case "wait": self = .wait(milliseconds: Int(rest) ?? 0)
        case "wait-for": self = .waitFor(rest)
        case "touch": self = .touch(rest)
        case "log-prompt": self = .logPrompt(rest)
        case "usage":
            let numbers = rest.split(separator: " ").map(String.init)
            guard numbers.count == 3, let input = Int(numbers[0]), let output = Int(numbers[1]) else {
                return nil
            }
            self = .usage(input: input, output: output, cost: numbers[2])
        case "fail": self = .fail(Int32(rest) ?? 1)
        case "complete": self = .complete
        default: return nil
        }
    }
}
