import Dispatch
import Synchronization

/// Keeps threads until it is opened, by itself in the end: where too few threads are left nobody else could.
public final class ThreadGate: Sendable {
    private let state = Mutex((kept: 0, isOpen: false))
    private let opened = DispatchSemaphore(value: 0)

    public init(within limit: Duration) {
        let seconds = Int(limit / .seconds(1))
        DispatchQueue(label: "gate").asyncAfter(deadline: .now() + .seconds(seconds)) { [self] in open() }
    }

    /// How many came while it was closed.
    public var kept: Int { state.withLock { $0.kept } }
    public var isOpen: Bool { state.withLock { $0.isOpen } }

    public func pass() {
        let isOpen = state.withLock { state in
            if !state.isOpen { state.kept += 1 }
            return state.isOpen
        }
        if isOpen { return }
        opened.wait()
        // One after the other.
        opened.signal()
    }

    public func open() {
        let isFirst = state.withLock { state in
            defer { state.isOpen = true }
            return !state.isOpen
        }
        if isFirst { opened.signal() }
    }
}
