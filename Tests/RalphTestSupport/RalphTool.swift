import Foundation

/// Short commands of ralph, such as `tools task list`, run to their end: of the real one that `RALPH_BIN` names,
/// else of the stand-in.
public enum RalphTool {
    /// Runs one in `directory`; gives how it ended and its standard output, without line feeds around it.
    public static func run(
        _ arguments: [String], in directory: String
    ) async throws -> (exit: StandInProcess.Exit, output: String) {
        let files = NSTemporaryDirectory() + "ralph-tool-" + UUID().uuidString
        defer { for end in [".out", ".err"] { unlink(files + end) } }
        let process = try StandInProcess(
            StandIn.ralph, arguments,
            environment: [
                "HOME": directory, "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin",
            ],
            directory: directory, files: files)
        let exit = try await process.waitForExit()
        return (exit, process.output.trimmingCharacters(in: .newlines))
    }
}
