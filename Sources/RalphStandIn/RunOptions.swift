/// Where configuration comes from: `-c` and `-H`, in their order.
struct ConfigurationSources {
    /// The first file counts, and each `core.…=…` (contract 4.7).
    var files: [String] = []
    var hats: [String] = []
}

/// What `ralph run` was asked to do (contract 4.7).
struct RunOptions {
    /// How the run talks and how it runs its agent.
    enum Mode { case headless, rpc }

    var sources = ConfigurationSources()
    var prompt: String?
    var promptFile: String?
    var backend: String?
    var maxIterations: Int?
    var completionPromise: String?
    var mode = Mode.headless
    var isContinuation = false
    var loopID: String?
    var isExclusive = false
    var mergesAutomatically = true
    var isDryRun = false
    var isQuiet = false
    /// What followed `--`.
    var agentArguments: [String] = []
}
