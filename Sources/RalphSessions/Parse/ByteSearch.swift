import Foundation

/// Finds short texts in files' bytes.
package enum ByteSearch {
    /// Where `part`, which is not empty, first stands in `bytes`; at most `bytes` times `part` comparisons.
    package static func offset(
        of part: UnsafeRawBufferPointer, in bytes: UnsafeRawBufferPointer
    ) -> Int? {
        guard let base = bytes.baseAddress, let word = part.baseAddress, !part.isEmpty else { return nil }
        var start = 0
        while bytes.count - start >= part.count {
            let rest = bytes.count - start - part.count + 1
            guard let hit = memchr(base + start, Int32(part[0]), rest) else { return nil }
            start = UnsafeRawPointer(hit) - base
            if memcmp(hit, word, part.count) == 0 { return start }
            start += 1
        }
        return nil
    }

    /// Whether `word`, which is not empty, stands anywhere in `bytes`.
    package static func holds(_ bytes: ArraySlice<UInt8>, _ word: StaticString) -> Bool {
        let word = UnsafeRawBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
        return bytes.withUnsafeBytes { offset(of: word, in: $0) != nil }
    }
}
