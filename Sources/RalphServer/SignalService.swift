import Foundation
import Logging
import UnixSignals

/// Ends the server: the first SIGTERM or SIGINT gracefully, the second at once. SIGHUP does not.
struct SignalService {
    /// Signals that end the process by themselves no more.
    struct Trapped {
        fileprivate let ends: UnixSignalsSequence
        fileprivate let reloads: UnixSignalsSequence
    }

    let logger: Logger
    /// Called at SIGHUP. No end waits for it.
    let reload: @Sendable () async -> Void
    let shutDown: @Sendable () async -> Void

    static func trap() async -> Trapped {
        Trapped(
            ends: await UnixSignalsSequence(trapping: .sigterm, .sigint),
            reloads: await UnixSignalsSequence(trapping: .sighup))
    }

    /// Waits for signals until it is cancelled.
    func run(_ trapped: Trapped) async {
        async let reloading: Void = reload(at: trapped.reloads)
        var isSecond = false
        for await end in trapped.ends {
            // It came before the kernel could be told. Without the handlers of `exit`: other threads still run.
            if isSecond { _exit(128 + end.rawValue) }
            isSecond = true
            // From here on the second is the kernel's: nothing that hangs in here can hold it up.
            for number in [SIGTERM, SIGINT] { signal(number, SIG_DFL) }
            logger.notice("Shutting down", metadata: ["signal": "\(end)"])
            await shutDown()
        }
        await reloading
    }

    private func reload(at signals: UnixSignalsSequence) async {
        for await _ in signals { await reload() }
    }
}
