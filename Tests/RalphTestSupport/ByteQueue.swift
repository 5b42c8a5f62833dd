import Foundation

/// Bytes that came and wait to be taken from the front, without a copy of the others.
struct ByteQueue {
    private var bytes: [UInt8] = []
    /// How many of them were taken.
    private var taken = 0

    var count: Int { bytes.count - taken }
    var all: [UInt8] { Array(bytes[taken...]) }

    mutating func append(_ more: UnsafeRawBufferPointer) {
        if taken > bytes.count / 2 {
            bytes.removeFirst(taken)
            taken = 0
        }
        bytes.append(contentsOf: more)
    }

    /// Takes everything.
    mutating func takeAll<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try take(count, body)
    }

    /// Takes the first `count` bytes, or all if there are fewer.
    mutating func take<Result>(
        _ count: Int, _ body: (UnsafeRawBufferPointer) throws -> Result
    ) rethrows -> Result {
        defer { taken += min(count, self.count) }
        return try peek(count, body)
    }

    /// The first `count` bytes, which stay.
    func peek<Result>(_ count: Int, _ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        let range = taken..<taken + min(count, self.count)
        return try bytes.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[range])) }
    }

    /// How many bytes come before `mark`; `nil` without one.
    func count(before mark: StaticString) -> Int? {
        bytes.withUnsafeBytes { all in
            guard let base = all.baseAddress else { return nil }
            var start = taken
            while let found = memchr(base + start, Int32(mark.utf8Start[0]), all.count - start) {
                let place = UnsafeRawPointer(found) - base
                guard place + mark.utf8CodeUnitCount <= all.count else { return nil }
                if memcmp(found, mark.utf8Start, mark.utf8CodeUnitCount) == 0 { return place - taken }
                start = place + 1
            }
            return nil
        }
    }
}
