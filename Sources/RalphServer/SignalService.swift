import Foundation
import Logging
import UnixSignals

/// Ends the server: the first SIGTERM or SIGINT gracefully, the second at once. SIGHUP does not.
struct SignalService {
    let logger: Logger
    /// Called at SIGHUP.
    let reload: @Sendable () async -> Void
    let shutDown: @Sendable () async -> Void

    /// From now on none of them ends the process by itself.
    static func trap() async -> UnixSignalsSequence {
        await UnixSignalsSequence(trapping: .sigterm, .sigint, .sighup)
    }

    /// Waits for signals that were trapped until it is cancelled.
    func run(_ signals: UnixSignalsSequence) async {
        var isSecond = false
        for await signal in signals {
            guard signal != .sighup else {
                await reload()
                continue
            }
            // Without the handlers of `exit`: other threads still run, and must not meet them.
            if isSecond { _exit(signal == .sigint ? 130 : 143) }
            isSecond = true
            logger.notice("Shutting down", metadata: ["signal": "\(signal)"])
            await shutDown()
        }
    }
}
