import RalphTestSupport
import Testing

/// Waits for the end of `run` and expects it to be `exit`.
func expectExit(
    _ exit: StandInProcess.Exit, of run: StandInProcess, sourceLocation: SourceLocation = #_sourceLocation
) async throws {
    let found = try await run.waitForExit()
    #expect(found == exit, "\(run.errors)", sourceLocation: sourceLocation)
}
