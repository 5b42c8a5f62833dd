package import RalphSessions

extension ConfiguredRun {
    /// The run whose process works in a session, as its command line and environment tell.
    ///
    /// A few small files are read.
    /// - Parameter program: the program that runs are started with here, whatever it is called.
    /// - Returns: `nil` if nobody works there, or nobody whose command line proves a Ralph of this session.
    package init?(of session: DiscoveredSession, program: String?) {
        var probe = LivenessProbe()
        let proof = RunProof(session: session, program: program)
        guard let pid = probe.liveness(of: session).pid, let process = ProcessIdentity(pid: pid),
            proof.isLoop(process), Self.mainHolder(of: session, &probe) != pid,
            let place = proof.place(of: process),
            let words = process.commandLine
        else { return nil }
        let plan = LaunchPlan(
            commandLine: words, workspace: session.directory.workspace, directory: place,
            standardConfig: process.standardConfig)
        self.init(
            process,
            configuration: plan.layers(files: [plan.config ?? place + "/" + SessionDirectory.configName]))
    }

    /// The run of a process that is proven.
    package init(_ process: ProcessIdentity, configuration: ConfigurationLayers) {
        self.init(
            run: "\(process.pid) \(process.startTicks) \(process.bootID)", configuration: configuration)
    }

    /// The process of the main workspace of a worktree, as its lock file says.
    private static func mainHolder(of session: DiscoveredSession, _ probe: inout LivenessProbe) -> Int32? {
        session.mainWorkspace.flatMap { main in
            probe.lastHolder(of: SessionDirectory(workspace: main))
        }
    }
}
