/// What the control of runs needs to know; filled at the start of the server and never changed.
package struct ControlSettings: Sendable {
    /// The program that starts runs: an absolute path, or a name that is looked for on `PATH` for each run. `nil`: nobody
    /// named one and none was found; see ``presentRalph``.
    package var ralph: String?
    /// What to do where the program is missing, one sentence.
    package var programAdvice = RalphProgram.advice
    /// Directory for the generated configuration and the output files of each run.
    package var runs: String
    /// What runs get as their environment; see ``childEnvironment(_:secrets:)``.
    package var environment: [String: String]
    /// The soft limit on open descriptors that runs begin with: a server may have raised its own, and programs
    /// that go through all numbers take long with a high one. `nil`: they have the server's.
    package var descriptors: Int?
    /// What new files of runs and of Ralph's own commands are not to be allowed (umask(2)): what the server was
    /// started with, as they work in their owner's workspaces, and not the stricter one of its own files.
    package var mask = Self.ownerMask
    /// Configurations of runs are read from at or below these only, links resolved; canonical. `nil`: anywhere.
    package var places: [String]?
    /// How long a started run may take to register.
    package var registerDeadline: Duration = .seconds(15)
    /// How long a run may take to obey its stop file.
    package var stopGrace: Duration = .seconds(5)
    /// How long agents may take to end after SIGTERM; Ralph's own patience is 2 s (contract 4.9).
    package var agentGrace: Duration = .seconds(5)
    /// How long ralph may take to end after SIGTERM; it kills itself after 0.3 s (contract 4.1).
    package var ralphGrace: Duration = .seconds(1)
    /// From how much space on the oldest output of a run is given back.
    package var outputCapBytes: Int64 = 64 << 20

    /// Nobody but the owner may do anything.
    package static let ownerMask: UInt32 = 0o077

    package init(ralph: String?, runs: String, environment: [String: String]) {
        self.ralph = ralph
        self.runs = runs
        self.environment = environment
    }
}
