import Logging
import RalphWire
import ServiceLifecycle

/// Writes down from time to time when devices were last seen.
struct DeviceKeeper: Service {
    let devices: DeviceBook
    let logger: Logger

    func run() async throws {
        // Cancelled and asked to stop are the same here: the last word is written either way.
        try? await cancelWhenGracefulShutdown {
            while true {
                try await Task.sleep(for: .seconds(60))
                keep(isLast: false)
            }
        }
        keep(isLast: true)
    }

    private func keep(isLast: Bool) {
        do {
            try devices.keepSeen(at: WallClock.milliseconds(), isLast: isLast)
        } catch {
            logger.warning(
                "When devices were last seen is not stored", metadata: ["error": "\(LoggedError.text(error))"]
            )
        }
    }
}
