import Foundation

// Iterations in the store, integers little-endian:
//
//     version 1 | for each: flags 1 (bit 0: start known, bit 1: duration known) | run 8 | number 8 | start 8
//     | duration 8 | length of hat 8 | hat
//
// Before that they were a JSON array.
extension [IterationRecord] {
    private static var version: UInt8 { 1 }
    private static var fixedBytes: Int { 41 }

    /// A compact form with a version, for the store.
    var stored: [UInt8] {
        var bytes = [Self.version]
        bytes.reserveCapacity(1 + reduce(0) { $0 + Self.fixedBytes + $1.hat.utf8.count })
        for record in self {
            bytes.append((record.startedAt == nil ? 0 : 1) | (record.durationMilliseconds == nil ? 0 : 2))
            let numbers = [
                Int64(record.run), Int64(record.number), record.startedAt ?? 0,
                record.durationMilliseconds ?? 0,
                Int64(record.hat.utf8.count),
            ]
            for number in numbers {
                Swift.withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
            }
            bytes += record.hat.utf8
        }
        return bytes
    }

    /// The iterations that ``stored`` or an earlier version stored; `nil` for anything else.
    init?(stored bytes: [UInt8]) {
        if bytes.first == UInt8(ascii: "[") {
            // Whatever is wrong with them, they are no iterations.
            guard let records = try? JSONDecoder().decode(Self.self, from: Data(bytes)) else { return nil }
            self = records
            return
        }
        guard bytes.first == Self.version else { return nil }
        self = []
        var start = 1
        while start < bytes.count {
            guard let (record, end) = Self.record(bytes, at: start) else { return nil }
            append(record)
            start = end
        }
    }

    private static func record(_ bytes: [UInt8], at start: Int) -> (record: IterationRecord, end: Int)? {
        guard bytes.count - start >= fixedBytes, bytes[start] < 4 else { return nil }
        let numbers = bytes.withUnsafeBytes { bytes in
            (0..<5).map { index in
                Int64(
                    littleEndian: bytes.loadUnaligned(fromByteOffset: start + 1 + index * 8, as: Int64.self))
            }
        }
        let hatStart = start + fixedBytes
        guard numbers[4] >= 0, numbers[4] <= bytes.count - hatStart else { return nil }
        let end = hatStart + Int(numbers[4])
        let record = IterationRecord(
            run: Int(numbers[0]), number: Int(numbers[1]),
            hat: String(decoding: bytes[hatStart..<end], as: UTF8.self),
            startedAt: bytes[start] & 1 == 0 ? nil : numbers[2],
            durationMilliseconds: bytes[start] & 2 == 0 ? nil : numbers[3])
        return (record, end)
    }
}
