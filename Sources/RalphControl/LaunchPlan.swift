/// What a run is started with; stored, so that `--continue` can be given the same (contract 4.9).
package struct LaunchPlan: Sendable, Codable, Equatable {
    /// Where the prompt comes from.
    package enum Prompt: Sendable, Codable, Equatable {
        case text(String)
        /// An absolute path.
        case file(String)
        /// Whatever the configuration or `PROMPT.md` says.
        case configured
    }

    /// How Ralph runs its agents (contract 4.7). Runs of ours are `rpc`; one that was started elsewhere is
    /// continued as it was.
    package enum Mode: String, Sendable, Codable, CaseIterable {
        case rpc = "--rpc"
        case headless = "--no-tui"
        case autonomous = "--autonomous"
    }

    /// The flag of ``skipsPreflight``.
    static let skipPreflight = "--skip-preflight"

    /// The canonical workspace: the working directory of the run.
    package var workspace: String
    /// The configuration that was chosen, an absolute path, or the address (`https:…`) that a run from elsewhere was
    /// given; `nil`: the workspace's `ralph.yml` if there is one.
    package var config: String?
    package var prompt: Prompt
    /// 1 …; `nil`: as configured.
    package var maxIterations: Int?
    package var backend: String?
    /// What `-H` gets: a file, `builtin:<name>`, or what else a run from elsewhere was given.
    package var hats: String?
    /// Whether a held lock is to make a parallel loop in a worktree instead of a refusal.
    package var worktree: Bool
    package var mode = Mode.rpc
    package var completionPromise: String?
    /// Further `-c` of the form `core.…=…`.
    package var overrides: [String] = []
    /// What the agent's command line gets behind `--`.
    package var arguments: [String] = []
    /// Whether the run does without the checks that its configuration may want before it; `nil`: no.
    package var skipsPreflight: Bool?
    /// Whether it was read from the command line of a run that was started elsewhere, whose owner chose its files
    /// and programs; `nil`: no.
    package var isForeign: Bool?

    package init(
        workspace: String, config: String? = nil, prompt: Prompt = .configured, maxIterations: Int? = nil,
        backend: String? = nil, hats: String? = nil, worktree: Bool = false
    ) {
        self.workspace = workspace
        self.config = config
        self.prompt = prompt
        self.maxIterations = maxIterations
        self.backend = backend
        self.hats = hats
        self.worktree = worktree
    }
}
