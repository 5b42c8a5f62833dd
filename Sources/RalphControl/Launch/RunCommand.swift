import RalphSessions

/// The command line of a run (contract 4.7).
struct RunCommand {
    /// Without the program.
    let arguments: [String]
    /// The prompt's text if it cannot be an argument and goes through a file.
    let promptText: String?

    /// The kernel's limit for one argument is 128 KiB (execve(2)).
    private static let longestArgumentBytes = 100_000

    init(_ plan: LaunchPlan, config: String, promptFile: String, isContinuation: Bool) {
        var arguments = ["run", plan.mode.rawValue, "-c", config]
        for override in plan.overrides { arguments += ["-c", override] }
        if let hats = plan.hats { arguments += ["-H", hats] }
        var promptText: String?
        switch plan.prompt {
        case .text(let text) where Self.isArgument(text): arguments += ["-p", text]
        case .text(let text):
            arguments += ["-P", promptFile]
            promptText = text
        case .file(let path): arguments += ["-P", path]
        case .configured: break
        }
        if let backend = plan.backend { arguments += ["-b", backend] }
        if let limit = plan.maxIterations { arguments += ["--max-iterations", String(limit)] }
        if let promise = plan.completionPromise { arguments += ["--completion-promise", promise] }
        if plan.skipsPreflight == true { arguments.append(LaunchPlan.skipPreflight) }
        if isContinuation { arguments.append("--continue") }
        // Without it a run that finds the lock taken goes to work in a worktree that nobody asked for.
        if isContinuation || !plan.worktree { arguments.append("--exclusive") }
        if !plan.arguments.isEmpty { arguments += ["--"] + plan.arguments }
        self.arguments = arguments
        self.promptText = promptText
    }

    /// Whether Ralph takes `text` for the value of `-p`, and not for an option of its own.
    private static func isArgument(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.first != UInt8(ascii: "-") && text.utf8.count <= longestArgumentBytes
    }
}
