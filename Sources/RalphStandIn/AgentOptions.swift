/// What `agent` was given.
struct AgentOptions {
    /// The script; see `--help`.
    var steps: String?
    /// The built-in play instead of a script.
    var isDemo = false
    /// A play that ends with the server whose lock this file is; see ``DemoOwner``.
    var owner: DemoOwner?
    /// SIGTERM does nothing.
    var ignoresTermination = false
    /// Only the help is wanted.
    var wantsHelp = false
    /// The last word, if the backend gives the prompt as an argument.
    var prompt: String?

    /// Reads what follows `agent`.
    init(_ reader: inout ArgumentReader) throws(StandInError) {
        while let argument = try reader.next() {
            switch argument {
            case .option("--steps"): steps = try reader.value()
            case .option("--demo"): isDemo = true
            case .option(DemoOwner.option): owner = DemoOwner(lock: try reader.value())
            case .option("--ignore-term"): ignoresTermination = true
            case .option("--help"), .option("-h"): wantsHelp = true
            case .option(let name): throw .usage("unexpected argument '\(name)' found")
            case .word(let word): prompt = word
            }
        }
    }
}
