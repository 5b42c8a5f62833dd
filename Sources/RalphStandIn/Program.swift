import Foundation

/// The front door: one command of the command line, and the exit status that it earns.
enum Program {
    /// What `--version` says: the version whose behaviour this program copies.
    static let version = "ralph 2.10.1"

    /// Runs the command that `arguments` (with the program's name) ask for.
    static func run(_ arguments: [String]) -> Int32 {
        // As every Rust program: a reader that went away is an error of `write`, not a signal.
        signal(SIGPIPE, SIG_IGN)
        do {
            return try perform(Invocation(Array(arguments.dropFirst())))
        } catch {
            Output.note(error.message)
            return error.exitCode
        }
    }

    private static func perform(_ invocation: Invocation) throws(StandInError) -> Int32 {
        switch invocation {
        case .version:
            Output.line(version)
        case .help(let text):
            Output.line(text)
        case .run(let options):
            return try RunCommand(options: options).perform()
        case .emit(let request):
            return try EmitCommand(request: request).perform()
        case .loops(let request):
            return try LoopsCommand(request: request).perform()
        case .tools(.task(let request)):
            return try TaskCommand(request: request).perform()
        case .tools(.memory(let request)):
            return try MemoryCommand(request: request).perform()
        case .agent(let options):
            return try AgentCommand(options: options).perform()
        case .validate(let sources):
            let configuration = try Configuration(sources)
            Output.line("Hats: \(configuration.hats.map(\.id).joined(separator: ", "))")
            Output.line("Configuration is valid.")
        }
        return 0
    }
}
