import Foundation
import RalphTestSupport

/// A file system of 2 MiB in memory, where the tests may mount one.
struct FullDisk {
    let path: String

    init?(below directory: TemporaryDirectory) {
        path = directory.path + "/small"
        mkdir(path, 0o700)
        guard mount("tmpfs", path, "tmpfs", 0, "size=2m") == 0 else { return nil }
    }

    /// Takes all of the room and gives the file that does.
    func fill() throws -> String {
        let file = path + "/filler"
        let descriptor = open(file, O_WRONLY | O_CREAT, 0o600)
        defer { close(descriptor) }
        let zeros = [UInt8](repeating: 0, count: 4096)
        while write(descriptor, zeros, zeros.count) > 0 {}
        return file
    }

    func unmount() { umount2(path, Int32(MNT_DETACH)) }
}

extension TemporaryDirectory {
    func names(in name: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path + "/" + name)
    }

    /// The permission bits of `name`.
    func mode(_ name: String) throws -> Int? {
        let attributes = try FileManager.default.attributesOfItem(atPath: path + "/" + name)
        return (attributes[.posixPermissions] as? NSNumber)?.intValue
    }
}
