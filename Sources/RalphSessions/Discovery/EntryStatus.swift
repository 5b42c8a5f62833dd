import Foundation

/// What the file system says of one file without opening it.
package struct EntryStatus: Hashable, Sendable {
    package enum Kind: Sendable { case directory, file, link, other }

    package let kind: Kind
    package let device: UInt64
    package let inode: UInt64
    package let size: Int64
    /// Nanoseconds since 1970.
    package let modified: Int64
    /// Nanoseconds since 1970; moves with the content and with owner, mode and links.
    let changed: Int64

    /// Whether nobody but its owner may read or write it.
    package let isPrivate: Bool
    /// The permission bits.
    package let mode: UInt32
    /// The owner's number.
    package let owner: UInt32

    /// Whether nobody but its owner may write it, and that is the user of this process, or root.
    package var isOursAlone: Bool { mode & 0o022 == 0 && (owner == geteuid() || owner == 0) }

    /// Does not follow a link at the end of `path`; `nil`, with the reason in `errno`, if there is nothing.
    package init?(at path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    /// Follows links, also at the end of `path`; `nil` if nothing is there.
    package init?(behindLinks path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    /// What is called `name` in an open directory; links are not followed.
    package init?(named name: String, in directory: Int32) {
        var status = stat()
        guard fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return nil }
        self.init(status)
    }

    /// Bytes that a file takes up on its disk, holes left out; 0 if there is none.
    package static func allocatedBytes(at path: String) -> Int64 {
        var status = stat()
        // st_blocks counts units of 512 bytes, whatever the block size is (stat(2)).
        return lstat(path, &status) == 0 ? Int64(status.st_blocks) * 512 : 0
    }

    var identity: FileIdentity { FileIdentity(device: device, inode: inode) }

    /// Whether both are of one file or directory, whatever it is called.
    package func isSameFile(as other: EntryStatus) -> Bool {
        device == other.device && inode == other.inode
    }

    /// Whether nothing is at `path`; `false` when that cannot be known.
    package static func isAbsent(_ path: String) -> Bool {
        EntryStatus(at: path) == nil && SystemCode(errno).isAbsence
    }

    package init?(descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    private init(_ status: stat) {
        switch status.st_mode & S_IFMT {
        case S_IFDIR: kind = .directory
        case S_IFREG: kind = .file
        case S_IFLNK: kind = .link
        default: kind = .other
        }
        isPrivate = status.st_mode & 0o077 == 0
        mode = UInt32(status.st_mode & 0o7777)
        owner = status.st_uid
        device = UInt64(truncatingIfNeeded: status.st_dev)
        inode = UInt64(truncatingIfNeeded: status.st_ino)
        size = Int64(status.st_size)
        #if canImport(Darwin)
        modified = Self.nanoseconds(status.st_mtimespec)
        changed = Self.nanoseconds(status.st_ctimespec)
        #else
        modified = Self.nanoseconds(status.st_mtim)
        changed = Self.nanoseconds(status.st_ctim)
        #endif
    }

    /// Wraps instead of trapping: file systems may hold any number.
    private static func nanoseconds(_ time: timespec) -> Int64 {
        Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }

    /// Whether what was read of this file at `now` (nanoseconds since 1970) still holds as long as its status
    /// is the same: file times are coarse, so a change right after a read may leave no trace in them.
    package func vouches(forReadAt now: Int64) -> Bool {
        max(modified, changed) < now &- 2_000_000_000
    }

    /// Nanoseconds since 1970.
    package static func now() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return nanoseconds(time)
    }
}
