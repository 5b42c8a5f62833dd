import Crypto
import Foundation
import RalphWire

/// SHA-256 over everything that an export says, record by record: each hash is that of the 32 bytes of the
/// one before and the record's own bytes.
struct HashChain: Sendable, Equatable {
    /// 32 bytes; zeros before the first record.
    private(set) var value = [UInt8](repeating: 0, count: 32)

    init() {}

    /// - Returns: `nil` unless `text` is 64 lower-case hexadecimal digits.
    init?(_ text: String) {
        let digits = Array(text.utf8)
        guard digits.count == 64 else { return nil }
        var value: [UInt8] = []
        for index in stride(from: 0, to: 64, by: 2) {
            guard let high = Self.digit(digits[index]), let low = Self.digit(digits[index + 1]) else {
                return nil
            }
            value.append(high << 4 | low)
        }
        self.value = value
    }

    /// Takes the next record in.
    mutating func add(_ record: some Collection<UInt8>) {
        var hash = SHA256()
        hash.update(data: value)
        hash.update(data: Array(record))
        value = Array(hash.finalize())
    }

    /// The last hash, 64 lower-case hexadecimal digits.
    var text: String { Hexadecimal.text(value) }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - 48
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - 87
        default: nil
        }
    }
}
