import Crypto
import Foundation
import Logging
import NIOPosix
import RalphSessions
import RalphTestSupport
import RalphWire
import SwiftASN1
import Testing
import X509

@testable import RalphServer

@Suite(.timeLimit(.minutes(1)))
struct SelfSignedTests {
    @Test func `a certificate is made once and stays the same over restarts`() async throws {
        try await withTemporaryDirectory { directory in
            let first = try await fingerprint(directory)
            let second = try await fingerprint(directory)

            #expect(first.text == second.text)
            #expect(!first.wasRemade && !second.wasRemade)
            #expect(try directory.mode(".state/tls-cert.pem") == 0o600)
            #expect(try directory.mode(".state/tls-key.pem") == 0o600)
        }
    }

    @Test func `with a clock before 1970 there is no TLS, and no end of the process`() async throws {
        try await withTemporaryDirectory { directory in
            let state = try StateDirectory(path: directory.path + "/.state")
            #expect(throws: ConfigurationProblem.self) {
                try TLSSetup(
                    .selfSigned, state: state, keyFiles: try KeyFiles([], record: state.keyFiles),
                    now: Date(timeIntervalSince1970: -1))
            }
        }
    }

    @Test func `one that ends soon is made anew and that is said`() async throws {
        try await withTemporaryDirectory { directory in
            let old = try keep(in: directory, from: Date() - 791 * 86_400)
            let new = try await fingerprint(directory)

            #expect(new.text != old)
            #expect(new.wasRemade)
        }
    }

    @Test func `one with a month and more to go is kept`() async throws {
        try await withTemporaryDirectory { directory in
            let old = try keep(in: directory, from: Date() - 789 * 86_400)

            #expect(try await fingerprint(directory).text == old)
        }
    }

    @Test(arguments: ["broken", "readable", "absent"])
    func `one whose key cannot be used is made anew`(key: String) async throws {
        try await withTemporaryDirectory { directory in
            let old = try keep(in: directory, from: Date())
            let path = directory.path + "/.state/tls-key.pem"
            switch key {
            case "broken": try directory.write(".state/tls-key.pem", "no key")
            case "absent": try directory.remove(".state/tls-key.pem")
            default: try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
            }
            let new = try await fingerprint(directory)

            #expect(new.text != old)
            #expect(new.wasRemade)
        }
    }

    @Test func `where a new one cannot be stored the old one stays`() async throws {
        try await withTemporaryDirectory { directory in
            let old = try keep(in: directory, from: Date() - 791 * 86_400)
            // A directory is in the way.
            let state = try StateDirectory(path: directory.path + "/.state")
            try directory.write(".state/tls-cert.pem.new/x", "")

            #expect(throws: ConfigurationProblem.self) {
                try SelfSignedCertificate.load(state, at: Date(), isInUse: true)
            }
            #expect(SelfSignedCertificate.kept(state)?.fingerprint == old)
            try directory.remove(".state/tls-cert.pem.new")
            #expect(try SelfSignedCertificate.load(state, at: Date(), isInUse: true).1 == .remade)
        }
    }

    @Test func `a key that others could read is not put back`() async throws {
        try await withTemporaryDirectory { directory in
            _ = try keep(in: directory, from: Date())
            let state = try StateDirectory(path: directory.path + "/.state")
            chmod(state.certificateKey, 0o644)
            // A directory is in the way.
            try directory.write(".state/tls-cert.pem.new/x", "")

            #expect(throws: ConfigurationProblem.self) {
                try SelfSignedCertificate.load(state, at: Date(), isInUse: false)
            }
            #expect(SelfSignedCertificate.kept(state) == nil && EntryStatus.isAbsent(state.certificateKey))
        }
    }

    @Test(arguments: ["broken", "readable", "absent"])
    func `one that is in use is not written over where its files cannot be used`(key: String) async throws {
        try await withTemporaryDirectory { directory in
            let old = try keep(in: directory, from: Date())
            let state = try StateDirectory(path: directory.path + "/.state")
            let setup = try TLSSetup(
                .selfSigned, state: state, keyFiles: try KeyFiles([], record: state.keyFiles))
            let certificate = try Data(contentsOf: URL(fileURLWithPath: state.certificate))
            switch key {
            case "broken": try directory.write(".state/tls-key.pem", "no key")
            case "absent": try directory.remove(".state/tls-key.pem")
            default: chmod(state.certificateKey, 0o644)
            }
            let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            #expect(await !setup.reload(threads: FileThreads(most: 4), logger: logger))
            #expect(setup.fingerprint == old)
            #expect(try Data(contentsOf: URL(fileURLWithPath: state.certificate)) == certificate)

            try directory.remove(".state/tls-cert.pem")
            if key != "absent" { try directory.remove(".state/tls-key.pem") }
            #expect(
                await setup.reload(threads: FileThreads(most: 4), logger: logger),
                "deleted, to have a new one")
            #expect(setup.fingerprint != old)
        }
    }

    @Test func `the certificate names this machine and is valid no longer than clients take`() throws {
        let made = try SelfSignedCertificate(at: Date())
        let certificate = try Certificate(pemEncoded: made.certificate)
        let names = try certificate.extensions.subjectAlternativeNames.map { Array($0) } ?? []

        #expect(names.contains(.dnsName("localhost")))
        #expect(names.contains(.ipAddress(ASN1OctetString(contentBytes: [127, 0, 0, 1]))))
        #expect(names.contains { "\($0)".contains(".local") })
        let seconds = certificate.notValidAfter.timeIntervalSince(certificate.notValidBefore)
        #expect(seconds <= 825 * 86_400)
        #expect(certificate.notValidBefore < Date())
        #expect(made.key.contains("PRIVATE KEY"))
    }

    @Test func `the fingerprint is on the card and in the record and is that of the certificate`()
        async throws
    {
        try await withServer({ $0.tls = .selfSigned }) { server in
            let shown = Hexadecimal.text(SHA256.hash(data: try await TLSProbe.certificate(port: server.port)))
            let probe = try await HTTP2Probe(port: server.port)
            try await eventually(within: .seconds(10), "start-up lines") {
                server.said.all.contains { $0.hasPrefix("Starting") }
            }
            let card = try await probe.get("/.well-known/ralph-mobile").json() as? [String: Any]
            let file = try Data(contentsOf: URL(fileURLWithPath: server.root.path + "/.state/server.json"))
            let record = try JSONSerialization.jsonObject(with: file) as? [String: Any]

            #expect(server.said.all.contains("TLS certificate SHA-256: \(shown)"))
            #expect(card?["tls_fingerprint"] as? String == shown)
            #expect(record?["tls_fingerprint"] as? String == shown)
            #expect(server.said.all.contains { $0.hasPrefix("Starting ralph-mobile-server on 127.0.0.1:") })
        }
    }

    private func keep(in directory: TemporaryDirectory, from date: Date) throws -> String {
        let state = try StateDirectory(path: directory.path + "/.state")
        let made = try SelfSignedCertificate(at: date)
        try PrivateFile.replace(state.certificateKey, with: Data(made.key.utf8))
        try PrivateFile.replace(state.certificate, with: Data(made.certificate.utf8))
        return try TLSIdentity(certificate: Data(made.certificate.utf8), key: Data(made.key.utf8)).fingerprint
    }

    private func fingerprint(_ directory: TemporaryDirectory) async throws -> (text: String, wasRemade: Bool)
    {
        let said = Said()
        try await withServer(in: directory, { $0.tls = .selfSigned }) { server in
            try await eventually(within: .seconds(10), "start-up lines") {
                server.said.all.contains { $0.hasPrefix("Starting") }
            }
            for line in server.said.all { said.add(line) }
        }
        let prefix = "TLS certificate SHA-256: "
        let line = said.all.first { $0.hasPrefix(prefix) } ?? ""
        return (
            String(line.dropFirst(prefix.count)),
            said.all.contains { $0.hasPrefix("A new TLS certificate was made") }
        )
    }

    private typealias Said = RunningServer.Said
}
