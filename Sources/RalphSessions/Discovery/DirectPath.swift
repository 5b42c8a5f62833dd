import Foundation

/// Opening what lies at a path, part by part and through no link: a path that was found to be without links, and is
/// one no more because somebody swapped a directory for a link, leads nowhere.
package enum DirectPath {
    /// Passing through a directory needs no right to list it: `O_PATH` (open(2)), which the C module leaves out.
    #if os(Linux)
    private static let passing: Int32 = 0o10000000
    #else
    private static let passing = O_RDONLY
    #endif

    /// Opens the absolute `path` with `flags`, closed on exec.
    ///
    /// - Returns: a descriptor; -1 with the reason in `errno`: `ELOOP` or `ENOTDIR` for a link, `EINVAL` for a path
    ///   that is none or has a `..` in it.
    package static func open(_ path: String, _ flags: Int32) -> Int32 {
        let parts = path.utf8.split(separator: UInt8(ascii: "/")).map { String(decoding: $0, as: UTF8.self) }
        guard path.utf8.first == UInt8(ascii: "/"), !path.utf8.contains(0), !parts.contains("..") else {
            errno = EINVAL
            return -1
        }
        let onTheWay = passing | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
        let last = flags | O_NOFOLLOW | O_CLOEXEC
        var descriptor = Foundation.open("/", parts.isEmpty ? last : onTheWay)
        for (index, part) in parts.enumerated() where descriptor >= 0 {
            let next = openat(descriptor, part, index == parts.count - 1 ? last : onTheWay)
            let reason = errno
            close(descriptor)
            errno = reason
            descriptor = next
        }
        return descriptor
    }

    /// What lies at the absolute `path`, itself perhaps a link; `nil` if nothing does that can be reached through no link.
    package static func status(of path: String) -> EntryStatus? {
        guard let (parent, name) = path.pathParts else { return nil }
        let directory = openDirectory(parent)
        guard directory >= 0 else { return nil }
        defer { close(directory) }
        return EntryStatus(named: name, in: directory)
    }

    /// Opens a directory to enter it or to open what is in it, without the right to list it.
    package static func openDirectory(_ path: String) -> Int32 { open(path, passing | O_DIRECTORY) }

    /// Where an open file or directory really is (proc(5)); `nil` if the system does not tell.
    package static func path(of descriptor: Int32) -> String? {
        var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX) + 1)
        #if canImport(Darwin)
        let told = buffer.withUnsafeMutableBytes { fcntl(descriptor, F_GETPATH, $0.baseAddress) }
        guard told == 0, let count = buffer.firstIndex(of: 0) else { return nil }
        #else
        let count = buffer.withUnsafeMutableBytes { memory in
            memory.baseAddress.map { readlink("/proc/self/fd/\(descriptor)", $0, memory.count) } ?? -1
        }
        guard count > 0 else { return nil }
        #endif
        return String(decoding: buffer[..<count], as: UTF8.self)
    }
}
