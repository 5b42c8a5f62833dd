import Foundation
import RalphWire

/// One run of a program that does its work and ends: arguments, a directory, and what it said.
///
/// Its output goes to a file, so that it neither waits for a reader nor dies of one that went away.
package struct ToolRun: Sendable {
    /// What came of it.
    package struct Outcome: Sendable, Equatable {
        /// `nil`: it still runs.
        package var exit: RunRecord.Exit?
        /// The last line that it wrote, at most 200 characters; `nil`: it wrote none.
        package var lastLine: String?
    }

    /// An absolute path.
    package var program: String
    package var arguments: [String]
    package var directory: String
    package var environment: [String: String]
    /// What its new files are not to be allowed (umask(2)).
    package var mask = ControlSettings.ownerMask
    /// The soft limit on open descriptors that it begins with; `nil`: ours.
    package var descriptors: Int?
    /// Made by the run, with its user's rights only, and replaced if it is there.
    package var output: String
    /// How much disk the output may take; the oldest of it goes.
    private static let outputCapBytes: Int64 = 16 << 20

    package init(
        program: String, arguments: [String], directory: String, environment: [String: String], output: String
    ) {
        self.program = program
        self.arguments = arguments
        self.directory = directory
        self.environment = environment
        self.output = output
    }

    /// Runs it to its end.
    ///
    /// - Parameter deadline: when it is left alone, as it is when the task is cancelled: what it began is not ours to break
    ///   off.
    /// - Throws: ``ControlError/ralphMissing(_:)``, ``ControlError/failedToSpawn(_:)``,
    ///   ``ControlError/unwritable(path:reason:)``.
    package func run(until deadline: ContinuousClock.Instant) async throws(ControlError) -> Outcome {
        let handle = try start()
        while ContinuousClock.now < deadline, !Task.isCancelled {
            let next = min(deadline, ContinuousClock.now + .seconds(5))
            if await handle.waitForExit(until: next) {
                return Outcome(exit: handle.reap() ?? Self.unknownExit, lastLine: LastLine.of(output))
            }
            _ = RunOutput.trim(output, capBytes: Self.outputCapBytes)
        }
        LeftChildren.keep(handle)
        return Outcome(exit: nil, lastLine: LastLine.of(output))
    }

    /// Whether a process still has `output` that was started with it, as one that a former server left alone.
    package static func isInUse(_ output: String) -> Bool {
        let descriptor = open(output, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK
    }

    private func start() throws(ControlError) -> ProcessHandle {
        unlink(output)
        let descriptor = try RunFiles.create(output)
        defer { close(descriptor) }
        // The program's, too, from then on (flock(2)). On a file system without locks it only looks as if nobody had it.
        _ = flock(descriptor, LOCK_EX)
        var environment = environment
        environment["PWD"] = directory
        environment["OLDPWD"] = nil
        let child = ChildProcess(
            program: program, arguments: arguments, environment: environment, directory: directory,
            mask: mask, descriptors: descriptors)
        return try child.start(output: descriptor, errors: descriptor)
    }

    private static var unknownExit: RunRecord.Exit {
        RunRecord.Exit(at: WallClock.milliseconds())
    }
}
