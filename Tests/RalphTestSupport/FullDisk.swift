import Foundation

/// A file system of 2 MiB in memory, where the tests may mount one.
public struct FullDisk: Sendable {
    public let path: String

    /// Whether this process may mount file systems.
    public static let canBeMounted: Bool = {
        let directory = TemporaryDirectory(path: NSTemporaryDirectory() + "ralph-mount-\(getpid())")
        mkdir(directory.path, 0o700)
        // An empty directory that is left over harms nobody.
        defer { try? FileManager.default.removeItem(atPath: directory.path) }
        guard let disk = FullDisk(below: directory) else { return false }
        disk.unmount()
        return true
    }()

    /// Mounts one as `small`; `nil` where that is not allowed.
    public init?(below directory: TemporaryDirectory) {
        path = directory.path + "/small"
        mkdir(path, 0o700)
        guard mount("tmpfs", path, "tmpfs", 0, "size=2m") == 0 else { return nil }
    }

    /// Takes all of the room and gives the file that does.
    public func fill() throws -> String {
        let file = path + "/filler"
        let descriptor = open(file, O_WRONLY | O_CREAT, 0o600)
        defer { close(descriptor) }
        let zeros = [UInt8](repeating: 0, count: 4096)
        while write(descriptor, zeros, zeros.count) > 0 {}
        return file
    }

    /// Has nothing be written there any more, whoever tries; says whether that is so.
    public func makeReadOnly() -> Bool {
        mount("tmpfs", path, "tmpfs", UInt(MS_REMOUNT | MS_RDONLY), nil) == 0
    }

    /// Takes the file system away, whoever still uses it.
    public func unmount() { umount2(path, Int32(MNT_DETACH)) }
}
