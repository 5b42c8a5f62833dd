import ArgumentParser
import RalphServer

/// The settings of a server that an examination looks at, under the names that the server has for them.
struct DoctorSettings: ParsableArguments {
    @Option(help: "Directory below which sessions are found; may be repeated. Default: the current one.")
    var root: [String] = []
    @Option(help: "Directory for the store and the key. Default: one per root below $XDG_STATE_HOME.")
    var stateDir: String?
    @Option(name: [.short, .long], help: "Port to listen on.")
    var port: Int?
    @Option(help: "Address to listen on: HOST, HOST:PORT or [IPV6]:PORT.")
    var bind: String?
    @Flag(help: "Listen on all IPv4 addresses (0.0.0.0).")
    var bindAll = false
    @Option(help: "Levels of directories searched below a root, 0 to 16. Default: 3.")
    var depth: Int?
    @Option(help: "Name of directories that are not searched; may be repeated.")
    var exclude: [String] = []
    @Option(help: "The ralph program that starts runs. Default: RALPH_BIN, else ralph on PATH.")
    var ralph: String?
    @Flag(help: "Keep no search index.")
    var noSearch = false
    @Option(help: "File that holds the key.")
    var apiKeyFile: String?
    @Flag(help: "Ask nobody for a key.")
    var noAuth = false
    @Flag(help: "With --no-auth: that is meant.")
    var iKnow = false
    @Flag(help: "Take the key from ?api_key= too.")
    var allowQueryKey = false
    @Option(help: "File with the TLS certificate.")
    var tlsCert: String?
    @Option(help: "File with the certificate's key.")
    var tlsKey: String?

    /// As the server takes them.
    var flags: ServerConfiguration.Flags {
        var flags = ServerConfiguration.Flags()
        flags.roots = root
        flags.stateDirectory = stateDir
        flags.port = port
        flags.bind = bind
        flags.bindAll = bindAll
        flags.depth = depth
        flags.excludes = exclude
        flags.ralph = ralph
        flags.noSearch = noSearch
        flags.apiKeyFile = apiKeyFile
        flags.noAuth = noAuth
        flags.iKnow = iKnow
        flags.allowsQueryKey = allowQueryKey
        return flags
    }

    /// The files of the certificate, if both are named.
    var certificate: CertificateFiles? {
        guard let tlsCert, let tlsKey else { return nil }
        return CertificateFiles(certificate: tlsCert, key: tlsKey)
    }
}
