import Foundation
import RalphSessions
import Synchronization

/// Where nobody looks whether a path that is not ours by its text is ours after all: file systems of other machines, which
/// may never answer, with no place of ours on them.
///
/// Anywhere else such a path may be a link, or another spelling of a place.
final class SilentMounts: Sendable {
    /// For how long a table counts that was read.
    private static let lifetime: Duration = .seconds(1)
    /// What mounts another file system as soon as somebody looks (autofs(5)), and waits for that.
    private static let mounter = "autofs"

    private struct Kept {
        let table: MountTable
        let since: ContinuousClock.Instant
    }

    private let kept = Mutex<Kept?>(nil)
    private let own: [String]
    private let read: @Sendable () -> String?

    /// - Parameters:
    ///   - own: absolute paths by which this server knows its places, and that may be links.
    ///   - read: as ``FileSystemKind/mounts()``.
    init(own: [String] = [], read: @escaping @Sendable () -> String? = { FileSystemKind.mounts() }) {
        self.own = own
        self.read = read
    }

    /// Whether whoever looks up `path` comes to such a file system, by the text and the table of mounts; the disk is not
    /// asked.
    ///
    /// - Parameter places: canonical paths at or below which everything is ours.
    func hold(_ path: String, besides places: [String]) -> Bool {
        let places = places + own
        let foreign = Self.turns(of: path).filter { turn in
            !places.contains(where: turn.isPath(inside:))
        }
        // The system need not tell.
        guard !foreign.isEmpty, let table = table() else { return false }
        return foreign.contains { turn in
            guard let mount = table.mount(above: turn) else { return false }
            if mount.type == Self.mounter { return true }
            return FileSystemKind(type: mount.type).isSilent
                && !places.contains { $0.isPath(inside: mount.point) }
        }
    }

    /// Where the file system is mounted that `path` lies on by its text, if that may not answer.
    func point(above path: String) -> String? {
        guard let mount = table()?.mount(above: path),
            mount.type == Self.mounter || FileSystemKind(type: mount.type).isSilent
        else { return nil }
        return mount.point
    }

    /// The directories to which a lookup of `path` goes down: where it turns back up, and its end.
    private static func turns(of path: String) -> [String] {
        let isAbsolute = path.utf8.first == UInt8(ascii: "/")
        let absolute =
            isAbsolute ? path : FileManager.default.currentDirectoryPath.appendingPath(path)
        var parts: [String] = []
        var turns: [String] = []
        var goesDown = true
        for part in absolute.utf8.split(separator: UInt8(ascii: "/")).map({ String(Substring($0)) })
        where part != "." {
            if part != ".." {
                parts.append(part)
            } else {
                if goesDown { turns.append("/" + parts.joined(separator: "/")) }
                _ = parts.popLast()
            }
            goesDown = part != ".."
        }
        return turns + ["/" + parts.joined(separator: "/")]
    }

    private func table() -> MountTable? {
        let now = ContinuousClock.now
        if let kept = kept.withLock({ $0 }), now - kept.since < Self.lifetime { return kept.table }
        guard let text = read() else { return nil }
        let table = MountTable(text)
        kept.withLock { $0 = Kept(table: table, since: now) }
        return table
    }
}
