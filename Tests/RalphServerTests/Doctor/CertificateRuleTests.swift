import Foundation
import RalphTestSupport
import RalphWire
import Testing

@testable import RalphServer

/// What `doctor` says of a certificate and of the one that the running server shows.
@Suite(.timeLimit(.minutes(1)))
struct CertificateRuleTests {
    @Test func `a renewed certificate that the running server does not show is told`() async throws {
        try await withTemporaryDirectory { directory in
            let pair = try WrittenCertificate(in: directory, "new")
            let state = StateDirectory(examining: directory.path + "/state")
            let shown = try TLSIdentity(
                certificate: Data(contentsOf: URL(fileURLWithPath: pair.certificate)),
                key: Data(contentsOf: URL(fileURLWithPath: pair.key))
            ).fingerprint
            func look(served: String?) -> [Finding] {
                CertificateCheckup(
                    given: CertificateFiles(certificate: pair.certificate, key: pair.key), state: state,
                    hasTLS: true, served: served
                ).look()
            }

            #expect(look(served: nil).map(\.level) == [.ok])
            #expect(look(served: shown).map(\.level) == [.ok])
            let other = look(served: "0f")
            #expect(other.map(\.level) == [.ok, .warn])
            #expect(other.last?.found.contains("still shows another one, SHA-256 0f") == true)
            #expect(other.last?.advice?.contains("SIGHUP") == true)
        }
    }
}
