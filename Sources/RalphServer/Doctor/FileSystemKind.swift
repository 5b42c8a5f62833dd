import Foundation

/// What a directory lies on, as far as it matters to us (statfs(2)).
enum FileSystemKind: Sendable, Equatable {
    /// A disk or memory of this machine.
    case local
    /// Others change it without this machine's kernel being told: inotify(7) is silent about them.
    case network(String)
    /// A container's layers, or another machine's files through a program.
    case layered(String)

    /// The kind with this number (linux/magic.h).
    init(magic: UInt32) {
        switch magic {
        case 0x6969: self = .network("NFS")
        case 0x517B, 0xFF53_4D42, 0xFE53_4D42: self = .network("SMB")
        case 0x0102_1997: self = .network("9p")
        case 0x00C3_6400: self = .network("Ceph")
        case 0x5346_414F: self = .network("AFS")
        case 0x786F_4256: self = .network("VirtualBox shared folder")
        case 0xBACB_ACBC: self = .network("VMware shared folder")
        case 0x6573_5546: self = .network("FUSE")
        case 0x794C_7630: self = .layered("overlay")
        case 0xF15F: self = .layered("eCryptfs")
        default: self = .local
        }
    }

    /// `nil` where the system does not tell.
    init?(path: String) {
        #if canImport(Glibc)
        var status = statfs()
        guard statfs(path, &status) == 0 else { return nil }
        self.init(magic: UInt32(truncatingIfNeeded: status.f_type))
        #else
        return nil
        #endif
    }
}
