import Foundation
import RalphSessions

/// What a program said last.
enum LastLine {
    private static let tailBytes = 16 << 10
    private static let maximumCharacters = 200
    private static let greeting = "resume:     ralph run --continue "

    /// The last line of the file that is not blank, without escape sequences, cut to 200 characters.
    static func of(_ path: String?) -> String? {
        guard let path else { return nil }
        // O_NONBLOCK: opening a FIFO must not wait for its writer.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        let size = Int64(lseek(descriptor, 0, SEEK_END))
        guard size > 0 else { return nil }
        let count = min(Int(size), tailBytes)
        // What cannot be read says nothing.
        return (try? BoundedFile.part(of: descriptor, at: size - Int64(count), count: count)).flatMap(of)
    }

    /// The same of a text that is at hand.
    static func of(_ text: [UInt8]) -> String? {
        let lines = TerminalOutput.plain(text).split(separator: 0x0A)
            .map { SessionDirectory.trimmed(String(decoding: $0, as: UTF8.self)) }
        // Ralph greets with how to continue the run: who ends behind that said nothing.
        guard let last = lines.last(where: { !$0.isEmpty }), !last.hasPrefix(greeting) else { return nil }
        return String(last.prefix(maximumCharacters))
    }
}
