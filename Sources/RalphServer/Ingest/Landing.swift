import Synchronization

/// A value that somebody waits for, for a while; the first one counts. One waits, anybody settles.
final class Landing<Value: Sendable>: Sendable {
    private enum State {
        case open
        case awaited(CheckedContinuation<Value, Never>)
        case settled(Value)
    }

    private let state = Mutex(State.open)

    init() {}

    /// Gives the value; later ones are not heard.
    ///
    /// - Returns: whether it is the first one.
    @discardableResult
    func settle(_ value: Value) -> Bool {
        let (isFirst, waiter): (Bool, CheckedContinuation<Value, Never>?) = state.withLock { state in
            switch state {
            case .open:
                state = .settled(value)
                return (true, nil)
            case .awaited(let continuation):
                state = .settled(value)
                return (true, continuation)
            case .settled: return (false, nil)
            }
        }
        waiter?.resume(returning: value)
        return isFirst
    }

    /// Whether the value is there: a later one is not heard.
    var isSettled: Bool {
        state.withLock { state in
            if case .settled = state { true } else { false }
        }
    }

    /// The value; `fallback` after `limit` and when the task is cancelled.
    func value(within limit: Duration, otherwise fallback: Value) async -> Value {
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                // Cut short means settled, or cancelled: in both cases there is nothing to wait for.
                try? await Task.sleep(for: limit)
                self.settle(fallback)
            }
            let value = await settled()
            group.cancelAll()
            return value
        }
    }

    /// The value, however long it takes, and though the task is cancelled: for what always settles.
    func settled() async -> Value {
        await withCheckedContinuation { continuation in
            let value: Value? = state.withLock { state in
                if case .settled(let value) = state { return value }
                state = .awaited(continuation)
                return nil
            }
            if let value { continuation.resume(returning: value) }
        }
    }
}

extension Landing<Void> {
    /// Waits for `work`, also when the task is cancelled, but no longer than `limit`; what does not end is left to itself.
    static func wait(atMost limit: Duration, for work: @escaping @Sendable () async -> Void) async {
        let end = Landing()
        // Left to the end of the process, if it does not end.
        _ = Task<Void, Never> {
            await work()
            end.settle(())
        }
        // Cancelled below.
        let clock = Task<Void, Never> {
            // Cut short means that nobody waits any more.
            try? await Task.sleep(for: limit)
            end.settle(())
        }
        await end.settled()
        clock.cancel()
    }
}
