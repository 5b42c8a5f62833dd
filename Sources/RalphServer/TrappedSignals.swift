import UnixSignals

/// Signals that end the process by themselves no more; what came is kept for ``SignalService``.
package struct TrappedSignals: Sendable {
    let ends: UnixSignalsSequence
    let reloads: UnixSignalsSequence

    /// Traps SIGTERM, SIGINT and SIGHUP; once in a process.
    package static func trap() async -> TrappedSignals {
        TrappedSignals(
            ends: await UnixSignalsSequence(trapping: .sigterm, .sigint),
            reloads: await UnixSignalsSequence(trapping: .sighup))
    }
}
