import Crypto
import Foundation

/// An index whose names git itself would refuse (gitformat-index(5), version 2).
enum ForgedIndex {
    /// The name of the empty file, which every repository has.
    private static let emptyFile: [UInt8] = [
        0xE6, 0x9D, 0xE2, 0x9B, 0xB2, 0xD1, 0xD6, 0x43, 0x4B, 0x8B,
        0x29, 0xAE, 0x77, 0x5A, 0xD8, 0xC2, 0xE4, 0x8C, 0x53, 0x91,
    ]
    private static let regularFile: UInt32 = 0o100644

    /// Its bytes; all of `names` were empty files when it was written.
    static func bytes(_ names: [String]) -> [UInt8] {
        let sorted = names.map { Array($0.utf8) }.sorted { $0.lexicographicallyPrecedes($1) }
        let header = Array("DIRC".utf8) + bigEndian(UInt32(2)) + bigEndian(UInt32(names.count))
        let content = header + sorted.flatMap(entry)
        return content + Array(Insecure.SHA1.hash(data: content))
    }

    private static func entry(_ name: [UInt8]) -> [UInt8] {
        // Times, device and inode, then mode, user, group and size.
        let status: [UInt32] = [0, 0, 0, 0, 0, 0, regularFile, 0, 0, 0]
        let entry = status.flatMap { bigEndian($0) } + emptyFile + bigEndian(UInt16(name.count)) + name
        return entry + [UInt8](repeating: 0, count: 8 - entry.count % 8)
    }

    private static func bigEndian(_ value: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: value.bigEndian) { Array($0) }
    }
}
