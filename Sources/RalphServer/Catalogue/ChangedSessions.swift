import RalphWire
import Synchronization

/// Which sessions changed since one reader, such as the book of questions, looked; as many as there are sessions.
final class ChangedSessions: Sendable {
    private let sessions = Mutex<Set<SessionID>>([])
    private let wakeUp = WakeUp()

    init() {}

    /// Cheap; from any thread.
    func add(_ changed: Set<SessionID>) {
        sessions.withLock { $0.formUnion(changed) }
        wakeUp.give()
    }

    /// Ends ``wait()`` without a change.
    func signal() { wakeUp.give() }

    func take() -> Set<SessionID> {
        sessions.withLock { sessions in
            defer { sessions = [] }
            return sessions
        }
    }

    /// Returns when there is something to take, or the task is cancelled. For one task at a time.
    func wait() async { await wakeUp.wait() }

    /// ``wait()``, but no longer than to `moment` (milliseconds since 1970) by `clock`; `nil`: however long.
    func wait(until moment: Int64?, by clock: DeadlineClock) async {
        guard let moment else { return await wait() }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.wait() }
            // Cancelled when a change came first; then there is nothing to wait for.
            group.addTask { try? await clock.sleep(moment) }
            await group.next()
            group.cancelAll()
        }
    }
}
