import ArgumentParser
import Foundation
import RalphClient
import RalphServer
import RalphWire

/// `ralph-mobile-server doctor`: explains what stands between a server and a phone.
struct Doctor: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Say what a server would meet here, or measure the way to one.",
        discussion: """
            Without URL it looks at this machine and at the settings that a server would have: give it the same \
            flags (--root, --state-dir, --port, --bind, --bind-all, --ralph, --api-key-file and so on, see \
            ralph-mobile-server --help). It asks the server that runs on the state directory, if one does; it \
            starts and changes nothing.

            With URL it measures that server from here: names, TLS, the key, and whether anything in between \
            holds events back or cuts quiet connections.

            Status 0: nothing that must be mended; 1: something must.
            """)

    @Argument(help: "Address of a server: http://HOST:PORT or https://HOST.")
    var url: String?
    /// The server's own flags, which stand before or behind `doctor`.
    @ParentCommand var server: RalphCommand
    @Option(help: "With URL: file that holds the key, or a device's token. Default: RALPH_API_KEY.")
    var keyFile: String?
    @Option(help: "With URL: SHA-256 of the certificate to accept, in hexadecimal.")
    var fingerprint: String?
    @Option(parsing: .unconditional, help: "With URL: seconds to watch a stream for, 1 to 600.")
    var watch = 20
    @Flag(help: "Print JSON.")
    var json = false

    func validate() throws {
        guard ExaminationLimits.watchSeconds.contains(watch) else {
            throw ValidationError("--watch \(watch): 1 to 600 seconds.")
        }
        if let fingerprint, fingerprint.filter(\.isHexDigit).count != 64 {
            throw ValidationError("--fingerprint: expected 64 hexadecimal digits.")
        }
        if url == nil, keyFile != nil || fingerprint != nil {
            throw ValidationError(
                "--key-file and --fingerprint are for a URL; the settings take --api-key-file.")
        }
    }

    func run() async throws {
        let environment = ProcessInfo.processInfo.environment
        let findings: [Finding]
        if let url {
            findings = try await remote(url, environment)
        } else {
            findings = await local(environment)
        }
        let diagnosis = Diagnosis(findings)
        try write(diagnosis)
        try Terminal.requireAllTold()
        if diagnosis.status == .fail { throw ExitCode.failure }
    }

    private func remote(_ url: String, _ environment: [String: String]) async throws -> [Finding] {
        do {
            let key: String? =
                if let keyFile {
                    try ServerConfiguration.credential(inFile: keyFile, setting: "--key-file")
                } else {
                    // As the server reads it.
                    environment["RALPH_API_KEY"].map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }
                        .flatMap { $0.isEmpty ? nil : $0 }
                }
            var limits = ExaminationLimits()
            limits.watch = .seconds(watch)
            return await RemoteExamination(
                try RemoteAddress(url), key: key, fingerprint: fingerprint, limits: limits
            ).findings()
        } catch let problem as ConfigurationProblem {
            throw ValidationError(problem.description)
        } catch let problem as RemoteAddressProblem {
            // The address is not repeated: somebody may have put a key into it.
            throw ValidationError("URL: \(problem)")
        }
    }

    private func local(_ environment: [String: String]) async -> [Finding] {
        await LocalExamination(
            server.flags, certificate: certificate, environment: environment,
            ask: { server in
                // Why there is no answer is of no use beside that there is none.
                let reply = try? await LocalServer(server).connection.send("GET", "/api/health", within: 5)
                return reply.map { HealthAnswer(status: $0.status, body: Array($0.body)) }
            }
        ).findings()
    }

    /// The files of the certificate, if both are named.
    private var certificate: CertificateFiles? {
        guard let certificate = server.tlsCert, let key = server.tlsKey else { return nil }
        return CertificateFiles(certificate: certificate, key: key)
    }

    private func write(_ diagnosis: Diagnosis) throws {
        guard json else {
            return Terminal.draw(diagnosis.findings.map(\.text).joined(separator: "\n"))
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        Terminal.draw(String(decoding: try encoder.encode(diagnosis), as: UTF8.self))
    }
}
