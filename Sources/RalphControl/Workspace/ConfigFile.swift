import Foundation
import RalphSessions

/// `ralph.yml` of a workspace. Where only `ralph.yaml` is there, that is shown, but Ralph does not look for it
/// (contract 4.7): what is imported is `ralph.yml`. Ralph locks nothing; imports lock its directory. Synchronous.
package struct ConfigFile: Sendable {
    /// What a file is called and holds.
    package struct Named: Sendable, Equatable {
        package let name: String
        package let content: FileContent
    }

    /// What an import did.
    package struct Import: Sendable, Equatable {
        /// The file that was written.
        package let name: String
        /// Where the old one is; `nil`: there was none.
        package let backup: String?
    }

    /// A larger file is not read.
    package static let maximumBytes = 8 << 20
    /// Backups that are kept, the newest.
    package static let maximumBackups = 10

    private let place: WorkspacePlace

    package init(_ place: WorkspacePlace) { self.place = place }

    /// The configuration; `nil`: there is none.
    package func read() throws(WorkspaceError) -> Named? {
        for name in [SessionDirectory.configName, SessionDirectory.otherConfigName] {
            guard let content = try file(name).readUnlocked(), content.modified != nil else { continue }
            return Named(name: name, content: content)
        }
        return nil
    }

    /// Makes `bytes` the configuration and keeps what ``read()`` gave as `ralph.yml.bak-<stamp>`; `ralph.yaml` stays.
    ///
    /// - Parameter stamp: `YYYYMMDD-HHMMSS`; of several imports in one second each has a backup of its own.
    /// - Returns: `nil`: another import goes on, and what it writes is what the next one has to keep.
    package func replace(with bytes: [UInt8], stamp: String) throws(WorkspaceError) -> Import? {
        guard !place.isReadOnly else { throw .readOnly }
        let spot = try spot()
        guard spot.directory.lock() else { return nil }
        let old = try read()
        do throws(ControlError) {
            return try replace(old, at: spot, with: bytes, stamp)
        } catch {
            throw WorkspaceError(writing: error)
        }
    }

    // MARK: Parts

    private func spot() throws(WorkspaceError) -> SharedFile.Spot {
        do throws(ControlError) {
            guard let spot = try file(SessionDirectory.configName).spots(creating: false)?.last else {
                throw .unwritable(path: place.path, reason: "the workspace is gone")
            }
            return spot
        } catch {
            throw WorkspaceError(writing: error)
        }
    }

    private func replace(
        _ old: Named?, at spot: SharedFile.Spot, with bytes: [UInt8], _ stamp: String
    ) throws(ControlError) -> Import {
        var other: Other?
        if let old, old.name != SessionDirectory.configName,
            let source = try file(old.name).spots(creating: false)?.last
        {
            other = Other(bytes: old.content.bytes, status: source.directory.status(of: source.name))
        }
        // What is replaced is what the backup has.
        let status = spot.directory.status(of: spot.name)
        let backup = try Self.backUp(spot, stamp, other)
        do throws(ControlError) {
            _ = try spot.directory.replaceDurably(spot.name, status, with: bytes, like: other?.status)
        } catch {
            if let backup { unlinkat(spot.directory.descriptor, backup, 0) }
            throw error
        }
        Self.prune(spot, keeping: backup)
        return Import(name: SessionDirectory.configName, backup: backup)
    }

    /// A configuration of another name, which stays.
    private struct Other {
        let bytes: [UInt8]
        let status: stat?
    }

    private func file(_ name: String) -> SharedFile {
        SharedFile(
            place: place, path: (place.path == "/" ? "" : place.path) + "/" + name,
            maximumBytes: Self.maximumBytes)
    }

    /// A second name for the old file, which costs no room on a full disk (link(2)), or a copy of it, or of `other`.
    private static func backUp(
        _ spot: SharedFile.Spot, _ stamp: String, _ other: Other?
    ) throws(ControlError) -> String? {
        let directory = spot.directory
        guard other != nil || directory.holds(spot.name) else { return nil }
        // Behind all of this second: a name that was removed would count as the oldest of them.
        let first = (backups(spot).last { $0.contains(".bak-" + stamp) }).map { number(of: $0) + 1 } ?? 1
        for number in first..<first + 1000 {
            let name = "\(spot.name).bak-\(stamp)" + (number > 1 ? "-\(number)" : "")
            if directory.holds(name) { continue }
            if let other {
                try directory.replaceDurably(name, with: other.bytes, like: other.status)
                return name
            }
            if linkat(directory.descriptor, spot.name, directory.descriptor, name, 0) == 0 { return name }
            let reason = errno
            if reason == EEXIST { continue }
            guard let bytes = directory.content(of: spot.name, maximumBytes: maximumBytes) else {
                throw ControlError(errno: reason, path: directory.path + "/" + name)
            }
            try directory.replaceDurably(name, with: bytes, like: directory.status(of: spot.name))
            return name
        }
        throw .unwritable(path: spot.path, reason: "no name is free for a backup")
    }

    /// Removes all backups but the newest ones, of which `made` is one: others are of a later time by their names where
    /// the clock was put back since.
    private static func prune(_ spot: SharedFile.Spot, keeping made: String?) {
        let others = backups(spot).filter { $0 != made }
        for name in others.dropLast(maximumBackups - (made == nil ? 0 : 1)) {
            unlinkat(spot.directory.descriptor, name, 0)
        }
    }

    /// The backups that are there, oldest first.
    private static func backups(_ spot: SharedFile.Spot) -> [String] {
        let prefix = spot.name + ".bak-"
        let path = DirectPath.path(of: spot.directory.descriptor) ?? spot.directory.path
        // What cannot be listed is pruned at the next import.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return names.filter { $0.hasPrefix(prefix) && isStamp($0.dropFirst(prefix.count)) }
            .sorted { $0.compare($1, options: .numeric) == .orderedAscending }
    }

    /// Which of the backups of one second `name` is, from 1.
    private static func number(of name: String) -> Int {
        let parts = name.components(separatedBy: ".bak-").last?.split(separator: "-") ?? []
        guard parts.count == 3, let number = Int(parts[2]), number < 1_000_000 else { return 1 }
        return number
    }

    /// Whether `text` is `YYYYMMDD-HHMMSS`, with or without a number behind it: what others have called so is
    /// not ours to remove.
    private static func isStamp(_ text: Substring) -> Bool {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        let isNumber = parts.allSatisfy { part in
            !part.isEmpty && part.utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
        }
        return isNumber && (2...3).contains(parts.count) && parts[0].count == 8 && parts[1].count == 6
    }
}
