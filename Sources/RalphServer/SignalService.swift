import Foundation
import Logging
import UnixSignals

/// Ends the server: the first SIGTERM or SIGINT gracefully, the second at once. SIGHUP does not.
struct SignalService {
    let logger: Logger
    /// Called at SIGHUP. No end waits for it.
    let reload: @Sendable () async -> Void
    let shutDown: @Sendable () async -> Void

    /// Waits for signals until it is cancelled.
    func run(_ trapped: TrappedSignals) async {
        async let reloading: Void = reload(at: trapped.reloads)
        var isSecond = false
        for await end in trapped.ends {
            // It came here before the kernel could be told, or while the handler of the first ran.
            if isSecond { Self.die(of: end) }
            isSecond = true
            // From here on the second is the kernel's: nothing that hangs in here can hold it up.
            for number in [SIGTERM, SIGINT] { signal(number, SIG_DFL) }
            logger.notice("Shutting down", metadata: ["signal": "\(end)"])
            await shutDown()
        }
        await reloading
    }

    /// Ends the process as the signal, no longer trapped, does. Threads of Dispatch have it blocked.
    private static func die(of end: UnixSignal) {
        var unblocked = sigset_t()
        sigemptyset(&unblocked)
        sigaddset(&unblocked, end.rawValue)
        pthread_sigmask(SIG_UNBLOCK, &unblocked, nil)
        raise(end.rawValue)
    }

    private func reload(at signals: UnixSignalsSequence) async {
        for await _ in signals { await reload() }
    }
}
