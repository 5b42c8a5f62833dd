/// What stays the same for the whole of a run.
struct RunContext {
    /// The command line.
    let options: RunOptions
    /// The configuration.
    let configuration: Configuration
    /// Where the loop's files are.
    let workspace: Workspace
    /// Where ralph itself was started; a worktree loop has another ``workspace``.
    let home: Workspace
    /// The whole text.
    let prompt: String
    /// For the banner.
    let promptOrigin: String
    /// The id in `current-loop-id`.
    let loopID: String
    /// Holds the lock; else a worktree loop.
    let isPrimary: Bool
    /// The program, for agents that call it.
    let program: String

    /// Whether this is a `--rpc` run.
    var isStream: Bool { options.mode == .rpc }
    /// The limit that counts.
    var maxIterations: Int { options.maxIterations ?? configuration.maxIterations }
    /// The topic that claims completion.
    var completionTopic: String { options.completionPromise ?? configuration.completionPromise }
    /// The backend that counts.
    var backend: String { options.backend ?? configuration.backend }
    /// Absolute.
    var scratchpad: String { workspace.resolve(configuration.scratchpad) }

    /// What the run says beside its stream: on standard output, or on standard error if that is the stream's.
    func say(_ text: String) { if isStream { Output.note(text) } else { Output.line(text) } }

    /// A record of the `--rpc` stream; nothing in a headless run.
    func stream(_ type: String, _ members: [JSONMember]) {
        if isStream { Output.record(.object([JSONMember("type", .string(type))] + members)) }
    }
}
