import Foundation

/// Reads the files of a certificate.
enum PEMFile {
    /// More is no certificate, bytes.
    static let maximumBytes = 1 << 20

    /// The whole file; the reason in words else. A private one must be its owner's alone.
    static func read(_ path: String, isPrivate: Bool) throws(NamedFile.Unreadable) -> Data {
        let bytes = try NamedFile.read(path, isPrivate: isPrivate, maximumBytes: maximumBytes + 1)
        guard bytes.count <= maximumBytes else { throw NamedFile.Unreadable(reason: "it is too large") }
        return Data(bytes)
    }
}
