import Synchronization

/// What directories lie on. The table of mounts is read once for each device, not for each directory.
package final class MountedKinds: Sendable {
    /// For how long an answer counts: what is mounted later may have the number of a device that is gone.
    private static let lifetime: Duration = .seconds(1)

    private struct Known {
        var kinds: [UInt64: FileSystemKind] = [:]
        var since: ContinuousClock.Instant?
    }

    private let known = Mutex(Known())
    private let ask: @Sendable (String) -> FileSystemKind?

    /// - Parameter ask: what the system says of a path.
    package init(ask: @escaping @Sendable (String) -> FileSystemKind? = { FileSystemKind(path: $0) }) {
        self.ask = ask
    }

    /// What the directory at `path` lies on; `nil` where the system does not tell.
    package func kind(of path: String, now: ContinuousClock.Instant = .now) -> FileSystemKind? {
        guard let device = EntryStatus(at: path)?.device else { return nil }
        let old = known.withLock { known in
            if known.since.map({ now - $0 >= Self.lifetime }) ?? true { known = Known(since: now) }
            return known.kinds[device]
        }
        if let old { return old }
        guard let kind = ask(path) else { return nil }
        known.withLock { $0.kinds[device] = kind }
        return kind
    }
}
