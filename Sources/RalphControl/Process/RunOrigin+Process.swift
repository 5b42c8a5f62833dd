package import RalphSessions

extension RunOrigin {
    /// The run whose process works in a session, as its command line tells.
    ///
    /// A few small files are read; the system's locks are looked at for a worktree's loop alone.
    /// - Parameter program: the program that runs are started with here, whatever it is called.
    /// - Returns: `nil` if nobody works there, or nobody whose command line proves a Ralph of this session.
    package init?(of session: DiscoveredSession, program: String?) {
        var probe = LivenessProbe()
        let proof = RunProof(session: session, program: program)
        guard let pid = probe.liveness(of: session).pid, let process = ProcessIdentity(pid: pid),
            proof.covers(process, holdsLock: false), let place = proof.place(of: process),
            let words = process.commandLine
        else { return nil }
        let plan = LaunchPlan(
            commandLine: words, workspace: session.directory.workspace, directory: place)
        self.init(
            run: "\(pid) \(process.startTicks) \(process.bootID)",
            configurationFiles: [plan.config ?? place + "/" + SessionDirectory.configName])
    }
}
