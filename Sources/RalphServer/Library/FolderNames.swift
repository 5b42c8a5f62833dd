import Foundation
import RalphSessions

/// The names in one directory that can be items or folders of them, in byte order.
struct FolderNames {
    /// Folders, none of them hidden or a link.
    private(set) var folders: [String] = []
    /// Regular files and links, none of them hidden.
    private(set) var files: [String] = []
    /// Whether there were more than could be looked at.
    private(set) var isCut = false

    init() {}

    /// Those of a directory that is not looked into, since too many were.
    static let unread: FolderNames = {
        var names = FolderNames()
        names.isCut = true
        return names
    }()

    /// Reads an open directory; what cannot be read is empty.
    init(_ descriptor: Int32, maximum: Int) {
        let copy = dup(descriptor)
        guard copy >= 0 else { return }
        guard let stream = fdopendir(copy) else {
            close(copy)
            return
        }
        defer { closedir(stream) }
        var left = maximum
        while let entry = readdir(stream) {
            guard left > 0 else {
                isCut = true
                break
            }
            left -= 1
            take(entry, descriptor)
        }
        folders.sort()
        files.sort()
    }

    private mutating func take(_ entry: UnsafeMutablePointer<dirent>, _ directory: Int32) {
        guard let offset = MemoryLayout<dirent>.offset(of: \.d_name) else { return }
        let bytes = UnsafeRawPointer(entry).advanced(by: offset).assumingMemoryBound(to: CChar.self)
        guard bytes[0] != 0x2E else { return }  // hidden, or the directory itself
        // No path can name what is no UTF-8.
        guard let name = String(validatingCString: bytes) else { return }
        switch Int(entry.pointee.d_type) {
        case Int(DT_DIR): folders.append(name)
        case Int(DT_REG), Int(DT_LNK): files.append(name)
        // Some file systems do not say in the listing what an entry is (readdir(3)).
        case Int(DT_UNKNOWN):
            guard let status = EntryStatus(named: name, in: directory) else { return }
            if status.kind == .directory { folders.append(name) } else { files.append(name) }
        default: break
        }
    }
}
