import Foundation
import Glibc

/// Small text files, read and written whole, and files that grow by lines.
enum TextFile {
    /// The text of a file; `nil` if it is missing or not UTF-8.
    static func read(_ path: String) -> String? {
        FileManager.default.contents(atPath: path).flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// The lines of a text that are not empty, as Rust takes them: they end with a line feed, before which a
    /// carriage return may stand, and nothing else.
    static func lines(of text: String) -> [String] {
        text.utf8.split(separator: 0x0A).map { line in
            String(decoding: line.last == 0x0D ? line.dropLast() : line, as: UTF8.self)
        }
    }

    /// Whether anything has this name.
    static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// Removes a file; a missing one is as good.
    ///
    /// - Returns: whether it was there.
    @discardableResult
    static func remove(_ path: String) -> Bool { unlink(path) == 0 }

    /// Makes a directory with all above it.
    static func makeDirectory(_ path: String) throws(StandInError) {
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            throw .failure("cannot create \(path): \(error.localizedDescription)")
        }
    }

    /// Writes in place: truncates first, so a reader may see the file empty.
    static func write(_ text: String, to path: String) throws(StandInError) {
        try put([text], to: path, flags: O_TRUNC)
    }

    /// Writes a temporary file and renames it.
    static func replace(_ path: String, with text: String) throws(StandInError) {
        let temporary = path + ".tmp.\(getpid())"
        try write(text, to: temporary)
        guard rename(temporary, path) == 0 else { throw failure("rename", path) }
    }

    /// Appends with one `write` per piece.
    static func append(_ pieces: [String], to path: String) throws(StandInError) {
        try put(pieces, to: path, flags: O_APPEND)
    }

    private static func put(_ pieces: [String], to path: String, flags: Int32) throws(StandInError) {
        try makeDirectory((path as NSString).deletingLastPathComponent)
        let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0o644)
        guard descriptor >= 0 else { throw failure("open", path) }
        defer { close(descriptor) }
        for piece in pieces {
            guard Output.write(Array(piece.utf8), to: descriptor) else { throw failure("write", path) }
        }
    }

    private static func failure(_ what: String, _ path: String) -> StandInError {
        .failure("\(what) \(path): \(String(cString: strerror(errno)))")
    }
}
