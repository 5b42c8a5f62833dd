import Crypto
import Foundation
import RalphWire

/// Making, keeping and comparing secrets.
enum Secret {
    /// 256 random bits as 64 hexadecimal digits.
    static func mint() -> String {
        var generator = SystemRandomNumberGenerator()
        return Hexadecimal.text((0..<4).flatMap { _ in withUnsafeBytes(of: generator.next()) { Array($0) } })
    }

    /// What is kept of a secret that need not be shown again: its SHA-256. A secret of 256 random bits needs no
    /// slower one.
    static func digest(_ secret: String) -> [UInt8] { Array(SHA256.hash(data: Data(secret.utf8))) }

    /// Compares in a time that tells nothing of either: the digests of both, all of their bytes.
    static func isEqual(_ offered: String, _ digest: [UInt8]) -> Bool {
        let offered = self.digest(offered)
        guard offered.count == digest.count else { return false }
        return zip(offered, digest).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
