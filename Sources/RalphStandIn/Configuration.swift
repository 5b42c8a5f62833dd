/// What a run was configured to do, with ralph's defaults (contract 7.1).
struct Configuration {
    var prompt: String?
    var promptFile: String?
    var completionPromise = "LOOP_COMPLETE"
    /// Empty: no topic cancels.
    var cancellationPromise = ""
    var maxIterations = 100
    var maxRuntimeSeconds = 14_400.0
    var maxCost: Double?
    var maxConsecutiveFailures = 5
    var cooldownSeconds = 0.0
    var startingEvent: String?
    var requiredEvents: [String] = []
    var isPersistent = false
    var enforcesHatScope = false

    var backend = "claude"
    var command: String?
    var arguments: [String] = []
    var takesPromptOnInput = false
    var promptFlag: String?

    /// Relative to the workspace, or absolute.
    var scratchpad = ".ralph/agent/scratchpad.md"
    var hasMemories = true
    var hasTasks = true
    /// By id.
    var hats: [Hat] = []
    /// By phase, such as `pre.iteration.start`.
    var hooks: [String: [Hook]] = [:]
    var allowsParallel = true
    var mergesAutomatically = false
    var robot: Robot?

    /// The topic that starts a fresh run.
    var entryTopic: String { startingEvent ?? "task.start" }

    /// The hats that take `topic`.
    func hats(for topic: String) -> [Hat] { hats.filter { $0.isTriggered(by: topic) } }
}
