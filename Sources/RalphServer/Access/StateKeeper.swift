import Logging
import NIOPosix
import RalphFeed
import RalphWire
import ServiceLifecycle

/// Puts on disk what a full one did not take, as soon as it can be, and from time to time when devices were last seen.
struct StateKeeper: Service {
    let devices: DeviceBook
    let record: RunningRecord
    let ledger: ControlLedger
    let threads: NIOThreadPool
    let logger: Logger

    func run() async throws {
        // Cancelled and asked to stop are the same here: the record goes with the server, and the last word on
        // devices is written either way.
        try? await cancelWhenGracefulShutdown {
            for round in 1... {
                try await Task.sleep(for: .seconds(1))
                try await threads.runIfActive { keep(round: round) }
            }
        }
        keepRevocations()
        keepSeen(isLast: true)
    }

    /// Called each second, with how often.
    private func keep(round: Int) {
        ledger.retry()
        if !record.isWritten, record.writeAgain() {
            logger.notice("Tools of this user find the server now: its record is written")
        }
        keepRevocations()
        if round.isMultiple(of: 60) { keepSeen(isLast: false) }
    }

    private func keepRevocations() {
        if !devices.isWritten, devices.writeAgain() {
            logger.notice("Devices that were revoked stay so: the list of devices is written")
        }
    }

    private func keepSeen(isLast: Bool) {
        do {
            try devices.keepSeen(at: WallClock.milliseconds(), isLast: isLast)
        } catch {
            logger.warning(
                "When devices were last seen is not stored", metadata: ["error": "\(LoggedError.text(error))"]
            )
        }
    }
}
