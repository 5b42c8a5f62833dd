import RalphSessions
import RalphWire

/// What `POST /api/sessions` asks for, its types checked and nothing looked up yet (http-contract 3.4).
struct StartRequest: Sendable, Equatable {
    /// UTF-8 bytes of an inline prompt; it becomes one argument of a program, which Linux bounds at 128 KiB.
    static let maximumPromptBytes = 96 << 10
    /// The values that `-b` knows (contract 4.7).
    static let backends = ConfigCommands.backends.union(["custom"])

    var workingDirectory: String?
    var config: String?
    /// A name or path of a prompt file.
    var promptPath: String?
    /// The prompt itself.
    var prompt: String?
    var maxIterations: Int?
    var backend: String?
    var hats: String?
    var worktree = false

    /// In which line it is looked up: with those that name the same.
    var line: String {
        [workingDirectory, config, promptPath, hats].map { $0 ?? "" }.joined(separator: "\n")
    }

    init() {}

    /// - Throws: ``Problem`` 400 that names the member, 413 for a prompt that is too long.
    init(_ body: RequestObject) throws(Problem) {
        workingDirectory = try body.argument("working_dir")
        config = try body.argument("config_path")
        promptPath = try body.argument("prompt_path")
        prompt = try body.words("prompt", limit: Self.maximumPromptBytes)
        maxIterations = try body.integer("max_iterations", in: 1...10_000)
        backend = try body.argument("backend")
        hats = try body.argument("hats")
        worktree = try body.flag("worktree") ?? false
        if let backend, !Self.backends.contains(backend) {
            throw .invalidRequest(
                "backend must be one of \(Self.backends.sorted().joined(separator: ", "))")
        }
    }
}
