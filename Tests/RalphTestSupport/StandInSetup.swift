/// What a ``StandInWorkspace`` is made of.
public struct StandInSetup: Sendable {
    /// The script of the agent; see `ralph-stand-in agent --help`.
    public var steps: String
    /// More lines of the configuration's `event_loop` section, such as `max_iterations: 3`.
    public var eventLoop: [String] = []
    /// More sections of the configuration, as YAML.
    public var sections = ""
    /// Whether the configuration has a hook that suspends while `.ralph/pause-requested` exists.
    public var hasGate = false
    /// Whether the workspace is a git repository with a commit, which worktree loops need.
    public var isRepository = false
    /// Files that are not in the repository, and so in no worktree.
    public var ignored: [String] = []
    /// More arguments of the agent, such as `--ignore-term`.
    public var agentArguments: [String] = []
    /// The text of `PROMPT.md`; `nil` leaves the file out.
    public var prompt: String? = "# Goal\n\nBuild a tiny word counter command line tool with tests.\n"

    public init(steps: String) { self.steps = steps }

    /// `ralph.yml`: three hats, of which work.start, slice.planned, slice.built and slice.accepted go round.
    func configuration(steps file: String) -> String {
        let arguments = ["agent", "--steps", file] + agentArguments
        let loop = ["starting_event: work.start"] + eventLoop
        return """
            event_loop:
            \(loop.map { "  " + $0 }.joined(separator: "\n"))
            cli:
              backend: custom
              command: \(StandIn.path)
              args: [\(arguments.joined(separator: ", "))]
            hats:
              planner:
                {name: Planner, description: plans, triggers: [work.start, slice.accepted], publishes: [slice.planned], instructions: Plan.}
              builder:
                {name: Builder, description: builds, triggers: [slice.planned, slice.rejected], publishes: [slice.built], instructions: Build.}
              reviewer:
                {name: Reviewer, description: reviews, triggers: [slice.built], publishes: [slice.accepted, slice.rejected], instructions: Review.}
            \(hasGate ? Self.gate : "")
            \(sections)
            """
    }

    private static let gate = """
        hooks:
          enabled: true
          events:
            pre.iteration.start:
              - name: pause-gate
                command: ["test", "!", "-e", ".ralph/pause-requested"]
                on_error: suspend
        """
}
