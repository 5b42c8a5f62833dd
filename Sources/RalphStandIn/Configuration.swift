/// What a run was configured to do, with ralph's defaults (contract 7.1).
struct Configuration {
    /// The prompt itself, before any file of it.
    var prompt: String?
    /// The file of the prompt.
    var promptFile: String?
    /// The topic that claims completion.
    var completionPromise = "LOOP_COMPLETE"
    /// Empty: no topic cancels.
    var cancellationPromise = ""
    /// The limit of iterations, over all continuations.
    var maxIterations = 100
    /// The limit of one process's run time.
    var maxRuntimeSeconds = 14_400.0
    /// In dollars.
    var maxCost: Double?
    /// So many failed turns in a row end the run.
    var maxConsecutiveFailures = 5
    /// The rest after each iteration.
    var cooldownSeconds = 0.0
    /// The topic of the start row, if it is not ralph's own.
    var startingEvent: String?
    /// Topics without which completion is refused.
    var requiredEvents: [String] = []
    /// Completion is never accepted.
    var isPersistent = false
    /// Hats may say only what they publish.
    var enforcesHatScope = false

    /// The name of the backend.
    var backend = "claude"
    /// The program of a custom backend.
    var command: String?
    /// The arguments before the prompt.
    var arguments: [String] = []
    /// Otherwise the prompt is the last argument.
    var takesPromptOnInput = false
    /// An argument right before the prompt.
    var promptFlag: String?
    /// Whether the agent is the demonstration's play, whatever was configured.
    var isPlay = false

    /// Relative to the workspace, or absolute.
    var scratchpad = ".ralph/agent/scratchpad.md"
    /// Without memories nobody asks for open tasks.
    var hasMemories = true
    /// Whether runtime tasks are kept.
    var hasTasks = true
    /// By id.
    var hats: [Hat] = []
    /// By phase, such as `pre.iteration.start`.
    var hooks: [String: [Hook]] = [:]
    /// Whether a second run may take a worktree.
    var allowsParallel = true
    /// Whether completed worktree loops are queued for merging.
    var mergesAutomatically = false
    /// The way to a human; `nil` if there is none.
    var robot: Robot?

    /// The topic that starts a fresh run.
    var entryTopic: String { startingEvent ?? "task.start" }

    /// The hats that take `topic`.
    func hats(for topic: String) -> [Hat] { hats.filter { $0.isTriggered(by: topic) } }
}
