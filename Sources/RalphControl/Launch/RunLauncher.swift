import Foundation
package import Logging
import RalphSessions
package import RalphWire

/// Starts runs and sees them register (design 6).
package struct RunLauncher: Sendable {
    /// How many runs of a session keep their files, the newest ones; and as many below one session's directory, to which
    /// come those of its parallel loops.
    package static let keptRuns = 5

    let settings: ControlSettings
    private let keepsOutput: @Sendable (String) -> Bool
    let logger: Logger

    /// - Parameter keepsOutput: whether an older run keeps its files all the same, by the path of its output.
    package init(
        settings: ControlSettings, keepsOutput: @escaping @Sendable (String) -> Bool = { _ in false },
        logger: Logger
    ) {
        self.settings = settings
        self.keepsOutput = keepsOutput
        self.logger = logger
    }

    /// Starts `ralph run --rpc …` in a session of its own, with its output in files, and returns at once.
    ///
    /// - Throws: as ``prepare(_:session:isContinuation:)`` and ``spawn(_:)``.
    package func spawn(
        _ plan: LaunchPlan, session: SessionID, isContinuation: Bool
    ) throws(ControlError) -> SpawnedRun {
        try spawn(prepare(plan, session: session, isContinuation: isContinuation))
    }

    /// Checks everything that can be checked before, and writes what the run is given.
    ///
    /// - Parameters:
    ///   - session: whose directory below ``ControlSettings/runs`` takes the files.
    ///   - isContinuation: `--continue`; never makes a worktree (contract 4.5).
    /// - Throws: ``ControlError/ralphMissing(_:)``, ``ControlError/alreadyRunning(_:)`` when the lock is held and
    ///   no worktree is wanted, ``ControlError/failedToSpawn(_:)`` also for a configuration that cannot be used,
    ///   ``ControlError/unwritable(path:reason:)`` for our own files.
    func prepare(
        _ plan: LaunchPlan, session: SessionID, isContinuation: Bool
    ) throws(ControlError) -> PreparedRun {
        let directory = SessionDirectory(workspace: plan.workspace)
        let (program, config) = try check(plan)
        if isContinuation || !plan.worktree, LivenessProbe.isRunning(directory) {
            throw .alreadyRunning(directory.id)
        }
        let files = try RunFiles(runs: settings.runs, session: session)
        let command = RunCommand(
            plan, config: files.config, promptFile: files.prompt, isContinuation: isContinuation)
        try files.keep { () throws(ControlError) in
            try files.write(config, to: files.config)
            if let text = command.promptText { try files.write(text, to: files.prompt) }
        }
        return PreparedRun(
            plan: plan, session: session, program: program, arguments: command.arguments, files: files)
    }

    /// Checks what a run of `plan` needs, whether or not another one works there.
    ///
    /// - Returns: the program, and the configuration that the run is to be given.
    /// - Throws: ``ControlError/ralphMissing(_:)``, ``ControlError/failedToSpawn(_:)``.
    func check(_ plan: LaunchPlan) throws(ControlError) -> (program: String, config: String) {
        let program = try RalphProgram.check(settings)
        try Self.checkWords(of: plan)
        return (program, try RunConfiguration(plan, settings).generate())
    }

    /// - Throws: ``ControlError/ralphMissing(_:)``, ``ControlError/failedToSpawn(_:)``,
    ///   ``ControlError/unwritable(path:reason:)``.
    func spawn(_ run: PreparedRun) throws(ControlError) -> SpawnedRun {
        let (plan, files) = (run.plan, run.files)
        let before = EventsMark(SessionDirectory(workspace: plan.workspace))
        let process = try files.keep { () throws(ControlError) in
            try start(run.program, run.arguments, files, plan.workspace)
        }
        logger.debug("run spawned", metadata: ["session.id": "\(run.session)", "pid": "\(process.pid)"])
        return SpawnedRun(
            process: process, output: files.output, errors: files.errors, plan: plan, before: before)
    }

    /// Removes the files of the oldest runs beside `run`; to be called once it is on record whose output that is.
    func removeOlder(than run: SpawnedRun) {
        RunFiles(path: (run.output as NSString).deletingLastPathComponent).removeOlder(but: keepsOutput)
    }

    private func start(
        _ program: String, _ arguments: [String], _ files: RunFiles, _ workspace: String
    ) throws(ControlError) -> ProcessIdentity {
        let output = try RunFiles.create(files.output)
        defer { close(output) }
        let errors = try RunFiles.create(files.errors)
        defer { close(errors) }
        var environment = settings.ralphEnvironment
        environment["PWD"] = workspace
        environment["OLDPWD"] = nil
        let child = ChildProcess(
            program: program, arguments: arguments, environment: environment, directory: workspace,
            mask: settings.mask, descriptors: settings.descriptors)
        do {
            let pid = try child.spawn(output: output, errors: errors)
            return try ChildProcess.hold(pid).identity
        } catch let error as ChildProcessError {
            let reason = RunFiles.reason(error.code)
            try Self.checkWorkspace(workspace)
            if error.isAboutDirectory {
                throw .failedToSpawn("the workspace \(workspace) is not what it was: \(reason)")
            }
            if error.isAboutProgram { throw .ralphMissing("\(program) cannot be started: \(reason)") }
            throw .failedToSpawn("\(program): \(reason)")
        } catch let error as ControlError {
            throw error
        } catch {
            throw .failedToSpawn("\(error)")
        }
    }

    private static func checkWords(of plan: LaunchPlan) throws(ControlError) {
        try checkWorkspace(plan.workspace)
        var words = [plan.workspace, plan.config, plan.backend, plan.hats, plan.completionPromise].compactMap
        { $0 }
        words += plan.overrides + plan.arguments
        switch plan.prompt {
        case .text(let text), .file(let text): words.append(text)
        case .configured: break
        }
        // The system would cut an argument off there.
        if words.contains(where: { $0.utf8.contains(0) }) {
            throw .failedToSpawn("a command line cannot hold a NUL character")
        }
        if case .file(let path) = plan.prompt, EntryStatus.isAbsent(path) {
            throw .failedToSpawn("the prompt \(path) is not there")
        }
    }

    static func checkWorkspace(_ path: String) throws(ControlError) {
        guard EntryStatus(behindLinks: path)?.kind == .directory else {
            throw .failedToSpawn("the workspace \(path) is not there")
        }
        guard faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) == 0 else {
            throw .failedToSpawn("the workspace \(path) cannot be entered: \(RunFiles.reason(errno))")
        }
    }
}
