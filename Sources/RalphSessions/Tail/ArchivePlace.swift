import Foundation

/// A place in an events file before which an older page begins, good for as long as the file's beginning
/// stays what it was.
///
/// Its text form is opaque to clients: `v1.<offset>.<fingerprint>.<file>`, numbers in base 36, the file's
/// name in base64url without padding.
package struct ArchivePlace: Sendable, Hashable {
    /// The file, as in ``EventBatch/Context/file``.
    package let file: String
    /// Bytes from here on belong to newer pages.
    package let offset: Int64
    /// Of the first bytes before ``offset``, at most ``TailPosition/fingerprintBytes``.
    let fingerprint: UInt64

    init(file: String, offset: Int64, fingerprint: UInt64) {
        self.file = file
        self.offset = offset
        self.fingerprint = fingerprint
    }

    /// The place before `offset` in the open `file`.
    ///
    /// - Throws: ``TailError/fileChanged(path:)`` if the file is shorter than that.
    init(named name: String, in file: OpenFile, offset: Int64) throws(TailError) {
        guard offset >= 0, try file.status().size >= offset else { throw .fileChanged(path: file.path) }
        let head = try file.bytes(at: 0, count: Int(min(offset, Int64(TailPosition.fingerprintBytes))))
        self.init(file: name, offset: offset, fingerprint: head.fnv1a)
    }
}

extension ArchivePlace {
    /// Safe in a URL without escaping.
    package var text: String {
        let name = Data(file.utf8).base64EncodedString()
            .replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
            .replacingOccurrences(of: "=", with: "")
        return "v1.\(String(offset, radix: 36)).\(String(fingerprint, radix: 36)).\(name)"
    }

    /// The place that `text` was made of; `nil` for anything else.
    package init?(text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard text.utf8.count <= 1024, parts.count == 4, parts[0] == "v1",
            let offset = Int64(parts[1], radix: 36), offset >= 0,
            let fingerprint = UInt64(parts[2], radix: 36)
        else { return nil }
        var name = parts[3].replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        name += String(repeating: "=", count: (4 - name.utf8.count % 4) % 4)
        guard let data = Data(base64Encoded: name), let file = String(validating: data, as: UTF8.self),
            !file.isEmpty, !file.utf8.contains(0)
        else { return nil }
        self.init(file: file, offset: offset, fingerprint: fingerprint)
        guard self.text == text else { return nil }
    }
}
