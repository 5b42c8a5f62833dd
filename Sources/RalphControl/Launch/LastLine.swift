import Foundation
import RalphSessions

/// What a program said last.
enum LastLine {
    private static let tailBytes = 16 << 10
    private static let maximumCharacters = 200

    /// The last line of the file that is not blank, without escape sequences, cut to 200 characters.
    static func of(_ path: String?) -> String? {
        guard let path else { return nil }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        let size = lseek(descriptor, 0, SEEK_END)
        guard size > 0 else { return nil }
        var tail = [UInt8](repeating: 0, count: min(Int(size), tailBytes))
        let count = pread(descriptor, &tail, tail.count, size - off_t(tail.count))
        return of(Array(tail.prefix(max(0, count))))
    }

    /// The same of a text that is at hand.
    static func of(_ text: [UInt8]) -> String? {
        let lines = TerminalOutput.plain(text).split(separator: 0x0A)
            .map { SessionDirectory.trimmed(String(decoding: $0, as: UTF8.self)) }
        return lines.last { !$0.isEmpty }.map { String($0.prefix(maximumCharacters)) }
    }
}
