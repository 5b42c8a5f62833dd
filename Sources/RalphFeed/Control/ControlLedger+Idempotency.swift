import Foundation
import GRDB
import Synchronization

/// Answers to requests that carried an `Idempotency-Key`, so that one that is made again does nothing again.
extension ControlLedger {
    /// Looks a request up, and takes it on if it is new; some of those whose time is over go.
    ///
    /// Of two that ask at once, one gets ``IdempotentEntry/new``; it calls
    /// ``finishIdempotent(key:scope:status:location:body:)`` or ``abandonIdempotent(key:scope:)``.
    /// - Parameters:
    ///   - scope: within which `key` is unique: a method, a path and who asks, with a space between each.
    ///   - digest: of everything that makes it the same request.
    ///   - at: milliseconds since 1970.
    package func beginIdempotent(
        key: String, scope: String, digest: [UInt8], at time: Int64
    ) throws(StoreError) -> IdempotentEntry {
        let name = KeyedRequests.Name(scope: scope, key: key)
        var before: KeyedRequests.Stage??
        return try write(bytes: digest.count, failed: { if let before { note(before, of: name) } }) { db in
            let stage = requests.withLock { $0[name] }
            // One that goes on counts however old it looks by a clock that was set meanwhile.
            let known = try Row.fetchOne(
                db, sql: "SELECT * FROM idempotency WHERE scope = ? AND key = ? AND at > ?",
                arguments: [scope, key, stage == .goingOn ? .min : time - Self.idempotentLifetime])
            if let known, !(stage == .abandoned && known["status"] == nil) {
                return Self.entry(known, stage, digest)
            }
            // Its row made room for another one's.
            guard stage != .goingOn else { return .inProgress }
            try db.execute(
                sql: "INSERT OR REPLACE INTO idempotency (scope, key, digest, at) VALUES (?, ?, ?, ?)",
                arguments: [scope, key, Data(digest), time])
            try forgetOld(until: time - Self.idempotentLifetime, db)
            try Self.makeRoom(db)
            before = .some(stage)
            note(.goingOn, of: name)
            return .new
        }
    }

    /// Lets go of the oldest requests that were made at `end` or before and do not go on.
    private func forgetOld(until end: Int64, _ db: Database) throws {
        let old = try Row.fetchAll(
            db,
            sql: """
                SELECT id, scope, key FROM idempotency
                WHERE at <= ? AND id IN (SELECT id FROM idempotency ORDER BY id LIMIT ?)
                """, arguments: [end, Self.forgottenAtOnce])
        for row in old {
            let name = KeyedRequests.Name(scope: row["scope"], key: row["key"])
            guard requests.withLock({ $0[name] }) != .goingOn else { continue }
            try db.execute(
                sql: "DELETE FROM idempotency WHERE id = ?", arguments: [row["id"] as Int64])
        }
    }

    /// Of more requests than are remembered, lets go of the oldest ones of who has the most: nobody's pushes out
    /// those of somebody who has fewer.
    private static func makeRoom(_ db: Database) throws {
        let count = try Int64.fetchOne(db, sql: "SELECT count(*) FROM idempotency") ?? 0
        guard count > maximumIdempotent else { return }
        try db.execute(
            sql: """
                WITH place AS (SELECT id, substr(scope, instr(scope, ' ') + 1) AS rest FROM idempotency),
                    owned AS (SELECT id, substr(rest, instr(rest, ' ') + 1) AS owner FROM place),
                    most AS (SELECT owner, count(*) AS count FROM owned GROUP BY owner
                        ORDER BY count(*) DESC, min(id) LIMIT 1)
                DELETE FROM idempotency WHERE id IN (
                    SELECT id FROM owned WHERE owner = (SELECT owner FROM most) ORDER BY id
                    LIMIT (SELECT max(1, min(?, count / 8)) FROM most))
                """, arguments: [idempotentBatch])
    }

    /// Keeps the answer to a request that was taken on, for whoever makes it again. When that throws, they are told that
    /// it was carried out.
    ///
    /// - Parameters:
    ///   - location: the answer's `Location`.
    ///   - body: a larger one than ``maximumBodyBytes`` is not kept.
    package func finishIdempotent(
        key: String, scope: String, status: Int, location: String?, body: [UInt8]
    ) throws(StoreError) {
        let kept = body.count <= Self.maximumBodyBytes ? Data(body) : nil
        let name = KeyedRequests.Name(scope: scope, key: key)
        try write(bytes: kept?.count ?? 0, failed: { note(.answered(status), of: name) }) { db in
            try db.execute(
                sql: """
                    UPDATE idempotency SET status = ?, location = ?, body = ? WHERE scope = ? AND key = ?
                    """, arguments: [status, location, kept, scope, key])
            note(nil, of: name)
            guard body.count > Self.largeBodyBytes else { return }
            try db.execute(
                sql: """
                    UPDATE idempotency SET body = NULL WHERE length(body) > ?1 AND id NOT IN (
                        SELECT id FROM idempotency WHERE length(body) > ?1 ORDER BY id DESC LIMIT ?2)
                    """, arguments: [Self.largeBodyBytes, Self.maximumLargeBodies])
        }
    }

    /// Lets go of a request that was taken on and came to nothing: it may be made again, also when that throws.
    package func abandonIdempotent(key: String, scope: String) throws(StoreError) {
        let name = KeyedRequests.Name(scope: scope, key: key)
        try write(failed: { note(.abandoned, of: name) }) { db in
            guard requests.withLock({ $0[name] }) != nil else { return }
            try Self.forget(name, db)
            note(nil, of: name)
        }
    }

    /// Stores what became of requests whose end could not be stored; in no transaction.
    func storeEnds(_ db: Database) throws {
        let ends = requests.withLock(\.ends)
        guard !ends.isEmpty else { return }
        try db.inTransaction(.immediate) {
            for (name, stage) in ends {
                guard case .answered(let status) = stage else {
                    try Self.forget(name, db)
                    continue
                }
                try db.execute(
                    sql: "UPDATE idempotency SET status = ? WHERE scope = ? AND key = ? AND status IS NULL",
                    arguments: [status, name.scope, name.key])
            }
            return .commit
        }
        for (name, _) in ends { note(nil, of: name) }
    }

    private static func forget(_ name: KeyedRequests.Name, _ db: Database) throws {
        try db.execute(
            sql: "DELETE FROM idempotency WHERE scope = ? AND key = ? AND status IS NULL",
            arguments: [name.scope, name.key])
    }

    private func note(_ stage: KeyedRequests.Stage?, of name: KeyedRequests.Name) {
        requests.withLock { $0[name] = stage }
    }

    private static func entry(
        _ row: Row, _ stage: KeyedRequests.Stage?, _ digest: [UInt8]
    ) -> IdempotentEntry {
        guard bytes(row["digest"]) == digest else { return .mismatch }
        if let status = row["status"] as Int? {
            if status == interruptedStatus { return .interrupted }
            return .answered(
                status: status, location: row["location"], body: (row["body"] as Data?).map { Array($0) })
        }
        return switch stage {
        case .goingOn: .inProgress
        case .answered(let status): .answered(status: status, location: nil, body: nil)
        // A server that died left it behind.
        case .abandoned, nil: .interrupted
        }
    }
}
