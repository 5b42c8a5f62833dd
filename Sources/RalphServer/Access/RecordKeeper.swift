import Logging
import ServiceLifecycle

/// Writes ``RunningRecord`` again where a full disk did not take it, so that tools find the server.
struct RecordKeeper: Service {
    let record: RunningRecord
    let logger: Logger

    func run() async throws {
        // Cancelled and asked to stop are the same here: the record goes with the server.
        try? await cancelWhenGracefulShutdown {
            while true {
                try await Task.sleep(for: .seconds(5))
                guard !record.isWritten, record.writeAgain() else { continue }
                logger.notice("Tools of this user find the server now: its record is written")
            }
        }
    }
}
