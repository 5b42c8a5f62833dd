import GRDBSQLite

/// When a statement ends at the latest; looked at by SQLite while it works.
final class StatementDeadline: Sendable {
    let time: ContinuousClock.Instant

    init(_ time: ContinuousClock.Instant) { self.time = time }

    var isOver: Bool { ContinuousClock.now >= time }

    /// Has `connection` fail with `SQLITE_INTERRUPT` soon after the deadline, until ``unwatch(_:)`` or its end.
    /// The caller keeps the deadline alive as long.
    ///
    /// - Parameter steps: how many steps of its machine SQLite makes between two looks at the clock.
    func watch(_ connection: OpaquePointer?, every steps: Int32) {
        sqlite3_progress_handler(
            connection, steps,
            { context in
                guard let context else { return 0 }
                // Anything but 0 ends the statement.
                return Unmanaged<StatementDeadline>.fromOpaque(context).takeUnretainedValue().isOver ? 1 : 0
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Lets `connection` work without a deadline again.
    static func unwatch(_ connection: OpaquePointer?) {
        sqlite3_progress_handler(connection, 0, nil, nil)
    }
}
