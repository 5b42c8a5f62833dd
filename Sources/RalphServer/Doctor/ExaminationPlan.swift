import Foundation
import RalphSessions
import RalphWire

/// The settings that are examined, and what is wrong with them.
///
/// A server ends at the first setting that cannot be used; an examination says so and goes on without it.
struct ExaminationPlan: Sendable {
    private static let subject = "settings"

    /// What is wrong with the settings themselves.
    private(set) var findings: [Finding] = []
    /// `nil` if nothing can be made of them.
    private(set) var configuration: ServerConfiguration?
    private(set) var state: StateDirectory?
    let keySource: KeySource
    let certificate: CertificateFiles?
    /// Whether a server with these settings speaks HTTPS.
    let hasTLS: Bool

    init(
        _ flags: ServerConfiguration.Flags, certificate: CertificateFiles?, environment: [String: String]
    ) {
        self.certificate = certificate
        hasTLS = certificate != nil || flags.isSelfSigned
        if let file = flags.apiKeyFile {
            keySource = .file(file)
        } else {
            keySource = environment["RALPH_API_KEY"].map { $0.isEmpty } ?? true ? .none : .variable
        }
        do {
            configuration = try ServerConfiguration(flags, environment: environment)
        } catch {
            findings.append(.fail(Self.subject, error.description, "A server would not start; change it."))
            let usable = Self.usable(flags)
            var keyless = usable
            keyless.apiKeyFile = nil
            for attempt in [usable, keyless, Self.places(usable)] where configuration == nil {
                // What is wrong is told; the rest of the settings is looked at without it.
                configuration = try? ServerConfiguration(attempt, environment: environment)
                // Another key than that of the file is not the one that counts.
                if flags.apiKeyFile != attempt.apiKeyFile { configuration?.apiKey = nil }
            }
        }
        guard let configuration, let root = configuration.roots.first else { return }
        findings += configuration.warnings.map {
            Finding.warn(Self.subject, $0, "Take away what does not count.")
        }
        state = StateDirectory(
            examining: configuration.stateDirectory
                ?? ServerConfiguration.defaultStateDirectory(root: root, environment: environment))
    }

    /// Keys that no finding may show.
    var secrets: [String] { [configuration?.apiKey].compactMap { $0 } }

    /// The flags without those that most often cannot be used.
    private static func usable(_ flags: ServerConfiguration.Flags) -> ServerConfiguration.Flags {
        var flags = flags
        flags.roots = flags.roots.filter { root in
            EntryStatus(behindLinks: (root as NSString).expandingTildeInPath)?.kind == .directory
        }
        if flags.stateDirectory?.isEmpty == true { flags.stateDirectory = nil }
        if let bind = flags.bind {
            flags.bindAll = false
            flags.port = ListenAddress(bind)?.port ?? flags.port
        }
        flags.noAuth = false
        return flags
    }

    /// Nothing but where to look, and where to listen if that can be: one of the others cannot be used.
    private static func places(_ flags: ServerConfiguration.Flags) -> ServerConfiguration.Flags {
        var places = ServerConfiguration.Flags()
        places.roots = flags.roots
        places.excludes = flags.excludes
        places.stateDirectory = flags.stateDirectory
        places.ralph = flags.ralph
        places.noSearch = flags.noSearch
        if let bind = flags.bind, ListenAddress(bind) != nil { places.bind = bind }
        if let port = flags.port, (0...65535).contains(port) { places.port = port }
        return places
    }
}
