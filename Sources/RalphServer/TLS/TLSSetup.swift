import Foundation
import Logging
import NIOSSL
import Synchronization

/// The certificate that new handshakes use; may be replaced while the server runs.
final class TLSSetup: Sendable {
    private static let newCertificate =
        "A new TLS certificate was made: clients that know the old one must be told"

    private let source: TLSSource
    private let state: StateDirectory
    private let keyFiles: KeyFiles
    private let identity: Mutex<TLSIdentity>
    /// What became of our own certificate at the start.
    private let outcome: SelfSignedCertificate.Outcome

    /// - Parameter keyFiles: is told when the key is read again.
    /// - Throws: ``ConfigurationProblem`` that names the file and what is wrong with it, or tells of a clock before 1970,
    ///   with which BoringSSL would end the process at the first handshake.
    init(
        _ source: TLSSource, state: StateDirectory, keyFiles: KeyFiles, now: Date = Date()
    ) throws(ConfigurationProblem) {
        guard now.timeIntervalSince1970 >= 0 else {
            throw ConfigurationProblem(
                "The clock says that it is before 1970, and TLS cannot work so; set it, or start without TLS."
            )
        }
        self.source = source
        self.state = state
        self.keyFiles = keyFiles
        let (identity, outcome) = try Self.load(source, state, isInUse: false)
        self.identity = Mutex(identity)
        self.outcome = outcome
    }

    /// SHA-256 of the leaf certificate (DER), 64 hexadecimal digits.
    var fingerprint: String { identity.withLock { $0.fingerprint } }

    /// When the time of the certificate ends.
    var end: Date { identity.withLock { $0.validUntil } }

    /// What clients hold against the certificate at `date`, or soon will, in words; `nil`: nothing.
    func complaint(at date: Date) -> String? {
        identity.withLock { $0 }.complaint(at: date, isOurs: source == .selfSigned)
    }

    /// What goes in front of a new connection.
    func makeHandler() -> NIOSSLServerHandler {
        NIOSSLServerHandler(context: identity.withLock { $0.context })
    }

    /// Says at the start what clients get to see.
    func announce(_ say: (String) -> Void, _ logger: Logger) {
        if case .remade = outcome {
            say(Self.newCertificate)
        }
        say("TLS certificate SHA-256: \(fingerprint)")
        if let complaint = complaint(at: Date()) { logger.warning("\(complaint)") }
    }

    /// Reads the files once more; whether their certificate is another one. A pair that cannot be used changes
    /// nothing and is logged. Connections that are open keep what they have.
    func reload(threads: FileThreads, logger: Logger) async -> Bool {
        do {
            let load = { @Sendable [source, state, keyFiles] in
                keyFiles.note()
                return try Self.load(source, state, isInUse: true)
            }
            // One of our own may be made.
            let (identity, outcome) =
                source == .selfSigned
                ? try await threads.change(at: "TLS", load) : try await threads.run(at: "TLS", load)
            let old = self.identity.withLock { known in
                defer { known = identity }
                return known.fingerprint
            }
            if outcome != .kept { logger.warning("\(Self.newCertificate)") }
            logger.notice(
                "The TLS certificate was read again", metadata: ["fingerprint": "\(identity.fingerprint)"])
            if let complaint = complaint(at: Date()) { logger.warning("\(complaint)") }
            return old != identity.fingerprint
        } catch {
            logger.error("The TLS certificate stays as it is", metadata: ["error": "\(error)"])
            return false
        }
    }

    private static func load(
        _ source: TLSSource, _ state: StateDirectory, isInUse: Bool
    ) throws(ConfigurationProblem) -> (TLSIdentity, SelfSignedCertificate.Outcome) {
        guard case .files(let certificate, let key) = source else {
            return try SelfSignedCertificate.load(state, at: Date(), isInUse: isInUse)
        }
        let chain = try read("--tls-cert", certificate, isPrivate: false)
        let secret = try read("--tls-key", key, isPrivate: true)
        do {
            return (try TLSIdentity(certificate: chain, key: secret), .kept)
        } catch {
            switch error {
            case .certificate(let reason): throw ConfigurationProblem("--tls-cert \(certificate): \(reason).")
            case .key(let reason): throw ConfigurationProblem("--tls-key \(key): \(reason).")
            }
        }
    }

    private static func read(
        _ setting: String, _ path: String, isPrivate: Bool
    ) throws(ConfigurationProblem) -> Data {
        do {
            return try PEMFile.read(path, isPrivate: isPrivate)
        } catch {
            throw ConfigurationProblem("\(setting) \(path): \(error.reason).")
        }
    }
}
