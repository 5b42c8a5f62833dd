import RalphWire
import Synchronization

/// Ends the streams of one session or one device; connected to the listener once that exists.
final class StreamEnding: Sendable {
    /// A struct, because a bare closure would be wrapped once more by each access through the mutex.
    private struct End {
        let ofSession: @Sendable (SessionID, Int64) async -> Void
        let ofDevice: @Sendable (DeviceID) async -> Void
    }

    private let end = Mutex<End?>(nil)

    init() {}

    func connect(
        ofSession: @escaping @Sendable (SessionID, Int64) async -> Void,
        ofDevice: @escaping @Sendable (DeviceID) async -> Void
    ) {
        end.withLock { $0 = End(ofSession: ofSession, ofDevice: ofDevice) }
    }

    /// Ends each stream of `session` once it has sent the event `seq`.
    func end(_ session: SessionID, after seq: Int64) async {
        await end.withLock { $0 }?.ofSession(session, seq)
    }

    /// Ends the streams of `device` at once.
    func end(_ device: DeviceID) async {
        await end.withLock { $0 }?.ofDevice(device)
    }
}
