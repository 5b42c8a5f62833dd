import Foundation

/// What a directory lies on, as far as it matters to us.
package enum FileSystemKind: Sendable, Equatable {
    /// A disk or memory of this machine.
    case local
    /// Others change it without this machine's kernel being told: inotify(7) is silent about them.
    case network(String)
    /// A container's layers.
    case layered(String)

    /// Bytes of the table of mounts that are read.
    private static let maximumBytes = 4 << 20
    private static let networks: Set<String> = [
        "nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "virtiofs", "ceph", "afs", "vboxsf", "glusterfs",
        "lustre", "davfs", "ncpfs", "prl_fs", "vmhgfs", "coda", "gfs2", "ocfs2", "gpfs", "beegfs", "pvfs2",
    ]

    /// Whether others change what lies there, of which inotify(7) does not tell.
    package var isSilent: Bool {
        if case .network = self { true } else { false }
    }

    /// The kind of a file system that the kernel calls `type`.
    package init(type: String) {
        if Self.networks.contains(type) || type == "fuse" || type.hasPrefix("fuse.") {
            self = .network(type)
        } else if type == "overlay" || type == "aufs" || type == "ecryptfs" {
            self = .layered(type)
        } else {
            self = .local
        }
    }

    /// What `path` lies on, by the name in the table of mounts; `nil` where the system does not tell.
    package init?(path: String) {
        let real = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        guard let mounts = Self.mounts(), let type = Self.type(of: real, mounts: mounts) else { return nil }
        self.init(type: type)
    }

    /// The table of mounts; `nil` where the system does not tell.
    package static func mounts() -> String? {
        BoundedFile.readSystemFile("/proc/self/mountinfo", maximumBytes: maximumBytes)
            .map { String(decoding: $0, as: UTF8.self) }
    }

    /// The type of the file system that is mounted closest above `path`, in a table of proc(5), `mountinfo`.
    package static func type(of path: String, mounts: String) -> String? {
        MountTable(mounts).mount(above: path)?.type
    }
}
