/// What stays the same for the whole of a run.
struct RunContext {
    let options: RunOptions
    let configuration: Configuration
    let workspace: Workspace
    /// Where ralph itself was started; a worktree loop has another ``workspace``.
    let home: Workspace
    let prompt: String
    /// For the banner.
    let promptOrigin: String
    let loopID: String
    let isPrimary: Bool
    /// The program, for agents that call it.
    let program: String

    var isStream: Bool { options.mode == .rpc }
    var maxIterations: Int { options.maxIterations ?? configuration.maxIterations }
    var completionTopic: String { options.completionPromise ?? configuration.completionPromise }
    var backend: String { options.backend ?? configuration.backend }
    var scratchpad: String { workspace.resolve(configuration.scratchpad) }

    /// What the run says beside its stream: on standard output, or on standard error if that is the stream's.
    func say(_ text: String) { if isStream { Output.note(text) } else { Output.line(text) } }

    /// A record of the `--rpc` stream; nothing in a headless run.
    func stream(_ type: String, _ members: [JSONMember]) {
        if isStream { Output.record(.object([JSONMember("type", .string(type))] + members)) }
    }
}
