import Foundation

/// One run of a program whose output is the answer: a session of its own, a deadline, and a bound.
///
/// Whatever becomes of it, nothing of it is alive when this is over.
package struct CapturedRun: Sendable {
    /// What came of it.
    package struct Outcome: Sendable, Equatable {
        /// The exit code; `nil`: a signal ended it, such as ours at the bound.
        package var code: Int32?
        /// At most as much as asked for.
        package var output: [UInt8]
        /// Whether there was more output.
        package var isCut: Bool
        /// The last line of its standard error, at most 200 characters; `nil`: it wrote none.
        package var lastError: String?
    }

    /// Of standard error, bytes.
    private static let maximumErrorBytes = 8 << 10
    /// The longest time between two looks.
    private static let longestPause = Duration.milliseconds(16)

    /// An absolute path.
    package var program: String
    package var arguments: [String]
    package var directory: String
    /// All of it: nothing of ours is inherited.
    package var environment: [String: String]
    /// One that writes more is ended.
    package var maximumOutputBytes: Int
    /// Of memory that it writes to, each of its processes for itself; `nil`: as much as we.
    package var maximumDataBytes: Int?

    package init(
        program: String, arguments: [String], directory: String, environment: [String: String],
        maximumOutputBytes: Int
    ) {
        self.program = program
        self.arguments = arguments
        self.directory = directory
        self.environment = environment
        self.maximumOutputBytes = maximumOutputBytes
    }

    /// Runs it to its end; blocks no thread.
    ///
    /// - Returns: `nil` if it had to be ended at `deadline`, or because the task was cancelled.
    /// - Throws: ``ControlError/ralphMissing(_:)`` if there is no such program,
    ///   ``ControlError/failedToSpawn(_:)``.
    package func run(until deadline: ContinuousClock.Instant) async throws(ControlError) -> Outcome? {
        let output = try OutputPipe(maximumBytes: maximumOutputBytes)
        let errors = try OutputPipe(maximumBytes: Self.maximumErrorBytes)
        let handle = try start(output.writing, errors.writing)
        output.closeWriting()
        errors.closeWriting()
        var pause = Duration.milliseconds(1)
        while true {
            // Asked before reading, so that the last read sees everything.
            let isOver = handle.isOver
            let hasRead = [output.drain(), errors.drain()].contains(true)
            if output.isCut { break }
            if hasRead {
                pause = .milliseconds(1)
            } else if isOver {
                break
            }
            guard ContinuousClock.now < deadline, !Task.isCancelled else {
                _ = await ProcessRemoval.remove(handle)
                return nil
            }
            if isOver || hasRead { continue }
            // Only a cancellation ends it early, and that is asked about above.
            try? await Task.sleep(for: pause)
            pause = min(pause * 2, Self.longestPause)
        }
        return Outcome(
            code: await end(handle), output: output.bytes, isCut: output.isCut,
            lastError: LastLine.of(errors.bytes))
    }

    /// Ends what is left of it.
    private func end(_ handle: ProcessHandle) async -> Int32? {
        guard handle.isOver else { return await ProcessRemoval.remove(handle).exit?.code }
        // Until it is reaped the number of its group is nobody else's.
        kill(-handle.identity.pid, SIGKILL)
        return handle.reap()?.code
    }

    private func start(_ output: Int32, _ errors: Int32) throws(ControlError) -> ProcessHandle {
        let child = ChildProcess(
            program: program, arguments: arguments, environment: environment, directory: directory,
            dataBytes: maximumDataBytes)
        return try child.start(output: output, errors: errors)
    }
}
