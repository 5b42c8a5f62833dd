/// Where configuration comes from: `-c` and `-H`, in their order.
struct ConfigurationSources {
    /// The first file counts, and each `core.…=…` (contract 4.7).
    var files: [String] = []
    /// `-H`.
    var hats: [String] = []
}

/// What `ralph run` was asked to do (contract 4.7).
struct RunOptions {
    /// How the run talks and how it runs its agent.
    enum Mode { case headless, rpc }

    /// `-c` and `-H`.
    var sources = ConfigurationSources()
    /// `-p`.
    var prompt: String?
    /// `-P`.
    var promptFile: String?
    /// `-b`.
    var backend: String?
    /// Over the configuration's.
    var maxIterations: Int?
    /// Over the configuration's.
    var completionPromise: String?
    /// `--rpc` or not.
    var mode = Mode.headless
    /// `--continue`.
    var isContinuation = false
    /// `--loop-id`.
    var loopID: String?
    /// Waits for the lock.
    var isExclusive = false
    /// Not `--no-auto-merge`.
    var mergesAutomatically = true
    /// Reads everything and runs nothing.
    var isDryRun = false
    /// What followed `--`.
    var agentArguments: [String] = []
}
