import Foundation
import RalphServer
import RalphTestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct TLSConfigurationTests {
    @Test(arguments: [
        (["cert"], "--tls-cert: its private key is missing"),
        (["key"], "--tls-key: its certificate is missing"),
        (["cert", "key", "self"], "--tls-self-signed: a certificate is given as well"),
    ])
    func `half a certificate or two are refused`(given: [String], sentence: String) {
        var flags = ServerConfiguration.Flags()
        flags.tlsCertificate = given.contains("cert") ? "chain.pem" : nil
        flags.tlsKey = given.contains("key") ? "key.pem" : nil
        flags.isSelfSigned = given.contains("self")

        let problem = #expect(throws: ConfigurationProblem.self) {
            _ = try ServerConfiguration(flags, environment: [:])
        }
        #expect(problem?.description.hasPrefix(sentence) == true)
    }

    @Test func `a key that others can read is refused`() async throws {
        try await withTemporaryDirectory { directory in
            let pair = try WrittenCertificate(in: directory, "a")
            try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: pair.key)

            try await expectRefusal(directory, pair.certificate, pair.key, "others may read or change it")
        }
    }

    @Test func `a key of another certificate is refused`() async throws {
        try await withTemporaryDirectory { directory in
            let (first, second) = (
                try WrittenCertificate(in: directory, "a"), try WrittenCertificate(in: directory, "b")
            )

            try await expectRefusal(
                directory, first.certificate, second.key, "it does not belong to the certificate")
        }
    }

    @Test(arguments: ["", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", "no"])
    func `what is no certificate is refused`(text: String) async throws {
        try await withTemporaryDirectory { directory in
            let pair = try WrittenCertificate(in: directory, "a")
            let file = try directory.write("none.pem", text)

            try await expectRefusal(directory, file, pair.key, "it holds no certificate in PEM form")
            try await expectRefusal(directory, directory.path + "/absent", pair.key, "No such file")
        }
    }

    private func expectRefusal(
        _ directory: TemporaryDirectory, _ certificate: String, _ key: String, _ sentence: String
    ) async throws {
        let problem = await #expect(throws: ConfigurationProblem.self) {
            try await withServer(
                in: directory, { $0.tls = .files(certificate: certificate, key: key) }, { _ in })
        }
        #expect(problem?.description.contains(sentence) == true, "\(problem?.description ?? "none")")
    }
}
