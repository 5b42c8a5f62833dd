import GRDB
import RalphWire

/// What goes before a transaction, in small ones: the rows of a file that is gone for good are as many as it had events,
/// and commands wait for each transaction.
extension StoreWriter {
    /// What a transaction that is to come removes.
    struct PlannedRemoval: Sendable {
        let session: Int
        let file: String
        var begun: ArchiveRemoval?
        var isOver = false
    }

    /// At most so many times ``RowWriter/rowsAtOnce`` rows go in one transaction.
    private static let longestPart = 16

    /// Whether something that was planned is not removed yet.
    var hasRemovals: Bool { removals.contains { !$0.isOver } }

    /// Plans to remove what `appends` say is gone for good; what was planned before is forgotten.
    ///
    /// Every part leaves true rows: what it removes tells of a file that is not there. The transaction that is to come, or
    /// its next try after a crash, goes on where the parts ended.
    mutating func planRemovals(for appends: [NumberedAppend]) {
        removals = []
        guard appends.contains(where: { $0.append.checkpoints.values.contains(where: \.isEmpty) }) else {
            return
        }
        var last: [SessionID: [String: [UInt8]]] = [:]
        for append in appends { last[append.append.id, default: [:]].merge(append.append.checkpoints) { $1 } }
        for (id, checkpoints) in last {
            guard let session = indices[id] else { continue }
            for (file, value) in checkpoints where value.isEmpty {
                removals.append(PlannedRemoval(session: session, file: file))
            }
        }
    }

    /// Removes the next part in a transaction of its own.
    ///
    /// - Parameter pace: when to rest between rows.
    /// - Throws: whatever SQLite reports; nothing of the part is removed then.
    mutating func removePart(on db: Database, pace: inout WorkPace) throws {
        guard let index = removals.firstIndex(where: { !$0.isOver }) else { return }
        var removal = removals[index]
        if db.isInsideTransaction { try SQLStatement("ROLLBACK", on: db).run() }
        try db.inTransaction(.immediate) {
            try remove(&removal, RowWriter(db: db, ring: ring), &pace)
            return .commit
        }
        // The row of the current stretch may be gone.
        sessions[removal.session].stretch = ArchiveStretch()
        removals[index] = removal
    }

    private func remove(
        _ removal: inout PlannedRemoval, _ rows: RowWriter, _ pace: inout WorkPace
    ) throws {
        let begun =
            try removal.begun
            ?? rows.removal(of: removal.file, session: sessions[removal.session].key)
        guard var begun else {
            removal.isOver = true
            return
        }
        for _ in 0..<Self.longestPart where !begun.isOver { try rows.goOn(with: &begun, pace: &pace) }
        removal.begun = begun
        removal.isOver = begun.isOver
    }
}
