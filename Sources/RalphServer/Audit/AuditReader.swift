import Foundation
import RalphSessions

/// Reads the audit log backwards. Not for an event loop.
struct AuditReader: Sendable {
    /// Entries on a page without `limit`.
    static let defaultLimit = 100
    /// Entries on a page at most.
    static let maximumLimit = 500
    private static let chunkBytes = 64 << 10

    let path: String

    /// The newest entries below the number `before`, the newest first, as a JSON array.
    ///
    /// What is no whole line, as a crash leaves it, is passed over.
    ///
    /// - Throws: ``UnreadableFile``: an answer without it would say that what is in it never happened.
    func page(before: Int64, limit: Int) throws(UnreadableFile) -> [UInt8] {
        var page = Page(before: before, limit: limit)
        for number in 0...AuditFile.olderFiles where !page.isFull {
            try read(AuditFile.path(path, number), into: &page)
        }
        var bytes: [UInt8] = [UInt8(ascii: "[")]
        bytes += page.lines.joined(separator: [UInt8(ascii: ",")])
        bytes.append(UInt8(ascii: "]"))
        return bytes
    }

    /// The number that a line begins with; `nil`: it is no line of ours.
    static func seq(of line: ArraySlice<UInt8>) -> Int64? {
        guard line.starts(with: seqStart), line.last == UInt8(ascii: "}") else { return nil }
        let digits = line.dropFirst(seqStart.count).prefix { (0x30...0x39).contains($0) }
        return digits.count < 19 ? Int64(String(decoding: digits, as: UTF8.self)) : nil
    }

    private static let seqStart = Array(#"{"seq":"#.utf8)

    /// What was found so far.
    private struct Page {
        /// Every further number is smaller, also when a file got another name meanwhile.
        var before: Int64
        let limit: Int
        var lines: [[UInt8]] = []

        var isFull: Bool { lines.count >= limit }

        mutating func add(_ line: ArraySlice<UInt8>) {
            guard !isFull, let seq = AuditReader.seq(of: line), seq < before else { return }
            let bytes = Array(line)
            guard JSONObject(bytes) != nil else { return }
            before = seq
            lines.append(bytes)
        }
    }

    private func read(_ file: String, into page: inout Page) throws(UnreadableFile) {
        let descriptor = open(file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else {
            let reason = SystemCode(errno)
            guard reason.isAbsence else { throw UnreadableFile(file, reason) }
            return
        }
        defer { _ = close(descriptor) }
        var position = Int64(lseek(descriptor, 0, SEEK_END))
        /// The beginning of a line whose rest was read before.
        var rest: [UInt8] = []
        while position > 0, !page.isFull {
            let start = max(0, position - Int64(Self.chunkBytes))
            var chunk: [UInt8]
            do throws(SystemCode) {
                chunk = try BoundedFile.part(of: descriptor, at: start, count: Int(position - start))
            } catch {
                throw UnreadableFile(file, error)
            }
            guard chunk.count == Int(position - start) else { return }
            position = start
            chunk += rest
            let lines = chunk.split(separator: 0x0A, omittingEmptySubsequences: false)
            for line in lines.dropFirst().reversed() { page.add(line) }
            // No line of ours is longer than a chunk.
            rest = lines[0].count > Self.chunkBytes ? [] : Array(lines[0])
        }
        page.add(rest[...])
    }
}
