import Foundation

/// What can be said of a line without parsing it.
enum LineText {
    static let lineFeed = UInt8(ascii: "\n")

    /// `line` without the NULs that it begins with: what a crash left of blocks that were never written.
    static func withoutLeadingNULs(_ line: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        var start = 0
        while start < line.count, line[start] == 0 { start += 1 }
        return UnsafeRawBufferPointer(rebasing: line[start...])
    }

    /// Whether nothing but blanks and NULs is in `line`.
    static func isBlank(_ line: UnsafeRawBufferPointer) -> Bool {
        line.allSatisfy { $0 <= 0x20 && ($0 == 0 || $0 == 0x20 || $0 == 0x09 || $0 == 0x0D) }
    }

    /// The index of the first LF of `bytes` at or behind `start`.
    static func firstLineFeed(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
        guard let base = bytes.baseAddress, start < bytes.count,
            let found = memchr(base + start, Int32(lineFeed), bytes.count - start)
        else { return nil }
        return UnsafeRawPointer(found) - base
    }

    /// Whether `line` is one or more whole JSON objects by its braces, so that more bytes could not have
    /// made it another line.
    static func isWholeObjects(_ line: UnsafeRawBufferPointer) -> Bool {
        guard line.first == UInt8(ascii: "{") else { return false }
        var depth = 0
        var isInString = false
        var isEscaped = false
        for byte in line {
            if isEscaped {
                isEscaped = false
            } else if isInString {
                if byte == UInt8(ascii: "\\") { isEscaped = true }
                if byte == UInt8(ascii: "\"") { isInString = false }
            } else if byte == UInt8(ascii: "\"") {
                isInString = true
            } else if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") {
                depth += 1
            } else if byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") {
                depth -= 1
            }
            if depth < 0 { return false }
        }
        return depth == 0 && !isInString
    }
}
