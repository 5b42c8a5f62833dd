import Foundation
import RalphTestSupport

@testable import RalphServer

/// A certificate and its key as files of a test.
struct WrittenCertificate {
    let certificate: String
    let key: String

    /// Writes a new pair, `name-cert.pem` and `name-key.pem`.
    init(in directory: TemporaryDirectory, _ name: String, at date: Date = Date()) throws {
        let made = try SelfSignedCertificate(at: date)
        certificate = try directory.write(name + "-cert.pem", made.certificate)
        key = try directory.write(name + "-key.pem", made.key)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key)
    }
}
