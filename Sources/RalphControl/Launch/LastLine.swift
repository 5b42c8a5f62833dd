import Foundation
import RalphSessions

/// What a program said last.
enum LastLine {
    private static let tailBytes: Int64 = 16 << 10
    private static let maximumCharacters = 200

    /// The last line of the file that is not blank, without escape sequences, cut to 200 characters.
    static func of(_ path: String?) -> String? {
        guard let path, let file = FileHandle(forReadingAtPath: path) else { return nil }
        defer { try? file.close() }  // nothing was written
        // A file that cannot be read says as much as an empty one.
        guard let size = try? file.seekToEnd(),
            (try? file.seek(toOffset: UInt64(max(0, Int64(size) - tailBytes)))) != nil,
            let tail = try? file.readToEnd()
        else { return nil }
        let lines = TerminalText.plain(Array(tail)).split(separator: 0x0A)
            .map { SessionDirectory.trimmed(String(decoding: $0, as: UTF8.self)) }
        return lines.last { !$0.isEmpty }.map { String($0.prefix(maximumCharacters)) }
    }
}
