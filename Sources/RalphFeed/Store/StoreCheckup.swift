import Foundation
import GRDB
import GRDBSQLite

/// Looks at a store from outside, without a server, and without changing anything about it.
package struct StoreCheckup: Sendable {
    /// How a store is.
    package enum Outcome: Sendable, Equatable {
        /// There is no file yet.
        case missing
        /// SQLite finds nothing wrong with it (`PRAGMA quick_check`).
        case healthy(bytes: Int64)
        /// A server uses it; `pid` if it can be told.
        case inUse(pid: Int32?)
        /// SQLite, or the last server, found it damaged; the next start begins a new one.
        case damaged(String)
        /// A newer version of the server made it.
        case newerSchema(migration: String)
        /// Not looked through in the given time.
        case unfinished
        /// Not looked through because it would have to be copied, and is larger than this many bytes.
        case tooLarge(bytes: Int64)
        /// It cannot be read.
        case unreadable(String)
    }

    /// A store that was not closed properly is copied to be looked at, up to this many bytes.
    package static let maximumCopiedBytes: Int64 = 512 << 20

    private let path: String
    private let limit: Duration

    /// - Parameter limit: what the look may take, about.
    package init(path: String, within limit: Duration) {
        self.path = path
        self.limit = limit
    }

    /// Looks; blocks its thread meanwhile.
    ///
    /// - Parameter isEventStore: whether its migrations are those of ``EventStore``.
    package func look(isEventStore: Bool = true) -> Outcome {
        let loss = isEventStore ? EventStore.loss(path) : nil
        guard loss != nil || FileManager.default.fileExists(atPath: path) else { return .missing }
        if case .held(let pid) = lock() { return .inUse(pid: pid) }
        if DamageMark(of: path).isSet { return .damaged("it was found damaged at the last run") }
        if let loss { return .damaged(loss) }
        let bytes = Self.bytes(path)
        let pending = Self.bytes(path + "-wal")
        // Without a log the file is whole, and nobody writes it: it can be read where it lies. With one, reading
        // it would make files beside it.
        guard pending > 0 else { return examine(path, isEventStore, bytes) }
        guard bytes + pending <= Self.maximumCopiedBytes else { return .tooLarge(bytes: bytes + pending) }
        return examineCopy(isEventStore, bytes + pending)
    }

    private enum Lock {
        case free
        case held(pid: Int32?)
    }

    /// Whether a server holds ``StoreLock``.
    private func lock() -> Lock {
        let descriptor = open(path + StoreLock.suffix, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        let directory = StoreLock.openDirectory(of: path)
        defer { for opened in [descriptor, directory] where opened >= 0 { close(opened) } }
        if StoreLock.isTaken(descriptor, LOCK_SH) { return .held(pid: StoreLock.writtenPID(descriptor)) }
        return StoreLock.isTaken(directory, LOCK_SH) ? .held(pid: nil) : .free
    }

    private func examineCopy(_ isEventStore: Bool, _ bytes: Int64) -> Outcome {
        let (files, end) = (FileManager.default, ContinuousClock.now + limit)
        let directory = files.temporaryDirectory.path + "/ralph-checkup-\(UUID().uuidString)"
        // What is left of a copy in a temporary directory harms nobody.
        defer { try? files.removeItem(atPath: directory) }
        do {
            try files.createDirectory(
                atPath: directory, withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o700])
            for suffix in ["", "-wal"] {
                guard try copy(path + suffix, to: directory + "/copy" + suffix, until: end) else {
                    return .unfinished
                }
            }
        } catch {
            return .unreadable("copying it for a look: \(error.localizedDescription)")
        }
        return examine(directory + "/copy", isEventStore, bytes, until: end)
    }

    /// `false`: not done in time, or it grew beyond what is copied.
    private func copy(_ path: String, to copy: String, until end: ContinuousClock.Instant) throws -> Bool {
        let source = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        guard FileManager.default.createFile(atPath: copy, contents: nil) else {
            throw CocoaError(.fileWriteUnknown)
        }
        let target = try FileHandle(forWritingTo: URL(fileURLWithPath: copy))
        var room = Self.maximumCopiedBytes
        while let bytes = try source.read(upToCount: 1 << 20), !bytes.isEmpty {
            room -= Int64(bytes.count)
            guard room >= 0, ContinuousClock.now < end else { return false }
            try target.write(contentsOf: bytes)
        }
        return true
    }

    /// - Parameter end: for a copy, beside which files may be made; `nil`: where it lies.
    private func examine(
        _ path: String, _ isEventStore: Bool, _ bytes: Int64, until end: ContinuousClock.Instant? = nil
    ) -> Outcome {
        do {
            let reader = try StoreFile(path: path, isWritten: end != nil, until: end ?? .now + limit)
            let verdict = try reader.firstColumn("PRAGMA quick_check(1)").first ?? "no answer"
            guard verdict == "ok" else { return .damaged(verdict) }
            guard isEventStore else { return .healthy(bytes: bytes) }
            let known = Set(EventStore.migrations.map(\.name))
            let strange = try reader.firstColumn("SELECT identifier FROM grdb_migrations")
                .first { !known.contains($0) }
            return strange.map { .newerSchema(migration: $0) } ?? .healthy(bytes: bytes)
        } catch {
            switch error.code {
            case SQLITE_INTERRUPT: return .unfinished
            case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_ERROR: return .damaged(error.reason)
            default: return .unreadable(error.reason)
            }
        }
    }

    private static func bytes(_ path: String) -> Int64 {
        // A file that is not there has none.
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        return (attributes?[.size] as? NSNumber)?.int64Value ?? 0
    }
}
