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
        let digits = text.utf8.compactMap(Hexadecimal.value)
        guard digits.count == 64 else { return nil }
        value = stride(from: 0, to: 64, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
        // Upper case and what was passed over are not spelled so.
        guard self.text == text else { return nil }
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
}
