import RalphSessions

/// Who owns a file, and what others may do with it.
struct FileRights: Sendable, Equatable {
    let owner: UInt32
    /// The permission bits.
    let mode: UInt32

    init(owner: UInt32, mode: UInt32) {
        self.owner = owner
        self.mode = mode
    }

    init(_ status: EntryStatus) {
        self.init(owner: status.owner, mode: status.mode)
    }

    /// Whether anybody may change it; a directory with the sticky bit lets only owners replace what lies there.
    var isWritableByAll: Bool { mode & 0o002 != 0 && mode & 0o1000 == 0 }
    /// Whether somebody beside its owner may change it.
    var isWritableByOthers: Bool { mode & 0o022 != 0 }
    /// Whether its owner alone may read and write it.
    var isPrivate: Bool { mode & 0o077 == 0 }
    /// As chmod(1) takes it.
    var octal: String { String(mode & 0o777, radix: 8) }
}
