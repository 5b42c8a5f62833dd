import ArgumentParser
import Foundation
import Logging
import RalphServer
import RalphWire

/// The `ralph-mobile-server` command: finds sessions, follows them and serves them until it is told to stop.
@main
struct RalphCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ralph-mobile-server",
        abstract: "Watch Ralph loops from a phone, a browser or curl.",
        discussion: """
            Finds Ralph sessions below a directory, follows them and serves them. Without flags it serves the \
            current directory on 127.0.0.1:8080 and asks for no key. On any other address a key is required; one \
            is made, stored and shown if neither RALPH_API_KEY nor --api-key-file names one.

            Variables: RALPH_API_KEY (the key), RALPH_HOME (the root), RALPH_MOBILE_SERVER_BIND (wins over \
            --bind, --bind-all and --port), RALPH_BIN (the ralph program), RUST_LOG (the log level).
            """,
        subcommands: [
            PairCommand.self,
            DevicesCommand.self,
            Doctor.self,
        ])

    static func main() async {
        // Whoever started this may ignore the end of its children, and the system would reap ours (sigaction(2)).
        signal(SIGCHLD, SIG_DFL)
        // A hang-up ends no server, however early it comes; while there is nothing to read again, it means nothing.
        if !isTool {
            signal(SIGHUP, SIG_IGN)
            // Nor does a reader of its output that went away.
            signal(SIGPIPE, SIG_IGN)
        }
        StandardStream.openMissing()
        ThreadStacks.ensure()
        await main(nil)
    }

    /// Whether one of the commands is meant, which end with their terminal as programs do.
    private static var isTool: Bool {
        let word = CommandLine.arguments.dropFirst().first
        return configuration.subcommands.contains { $0.configuration.commandName == word }
    }

    // A number below zero is a value as well, not another flag.
    @Option(
        name: [.short, .long], parsing: .unconditional,
        help: "Port to listen on; 0 takes a free one and prints it.")
    var port: Int?
    @Option(help: "Address to listen on: HOST, HOST:PORT or [IPV6]:PORT.")
    var bind: String?
    @Flag(help: "Listen on all IPv4 addresses (0.0.0.0), instead of --bind; a key is required then.")
    var bindAll = false
    @OptionGroup var place: PlaceOptions
    @Option(parsing: .unconditional, help: "Events kept per session, 100 to 1000000. Default: 1000.")
    var ring: Int?
    @Option(
        parsing: .unconditional, help: "Levels of directories searched below a root, 0 to 16. Default: 3.")
    var depth: Int?
    @Option(help: "Name of directories that are not searched; may be repeated.")
    var exclude: [String] = []
    @Option(
        parsing: .unconditional, help: "Seconds between full looks at the roots, 0.1 to 3600. Default: 5.")
    var rescan: Double?
    @Option(help: "The ralph program that starts runs. Default: RALPH_BIN, else ralph on PATH.")
    var ralph: String?
    @Flag(help: "Keep no search index: GET /api/search answers 503.")
    var noSearch = false
    @Option(help: "trace, debug, info, notice, warning, error or critical. Default: info.")
    var logLevel: String?
    @Option(help: "Host name that requests may use for this server; may be repeated.")
    var allowedHost: [String] = []
    @Option(help: "Origin or host name whose web pages may read answers and send commands; may be repeated.")
    var allowedOrigin: [String] = []
    @Option(help: "File that holds the key, which nobody else may read; wins over RALPH_API_KEY.")
    var apiKeyFile: String?
    @Flag(help: "Ask nobody for a key; refused on addresses that others can reach, unless --i-know is given.")
    var noAuth = false
    @Flag(help: "With --no-auth: let everybody who can reach the address start programs here.")
    var iKnow = false
    @Flag(help: "Take the key from ?api_key= too, which leaves it in logs and histories.")
    var allowQueryKey = false
    @Flag(
        help:
            "Let callers from elsewhere import configurations that name any program, and start with any backend and configuration file."
    )
    var allowRemoteCommands = false
    @Option(help: "Address or network of a proxy that is believed about its clients; may be repeated.")
    var trustedProxy: [String] = []
    @Option(help: "PEM file with the certificate and its chain: HTTPS and HTTP/2. Needs --tls-key.")
    var tlsCert: String?
    @Option(help: "PEM file with the certificate's private key, which nobody else may read.")
    var tlsKey: String?
    @Flag(help: "HTTPS with a certificate of our own, made once; its fingerprint is printed.")
    var tlsSelfSigned = false
    @Option(
        parsing: .unconditional,
        help: "Requests a second of one address, 1 to 100000; 0: any number. Default: 200.")
    var rateLimit: Int?
    @Option(
        parsing: .unconditional,
        help:
            "Seconds without an event after which a live run is told to be stalled; 0: never. Default: 1800.")
    var sentinelStall: Int?
    @Option(
        parsing: .unconditional,
        help: "Rows of one topic in a row that are told to be a repetition; 0: never. Default: 10.")
    var sentinelRepeat: Int?
    @Option(parsing: .unconditional, help: "Failed gates in a row that are told; 0: never. Default: 3.")
    var sentinelGates: Int?
    @Option(
        parsing: .unconditional,
        help: "Tokens a minute above which a run is told to be burning; 0: never. Default: 200000.")
    var sentinelTokens: Int?
    @Flag(help: "Print the key at the start.")
    var showKey = false
    @Flag(
        help:
            "Serve copies of the sessions below the root, and a live run that can be controlled. The state is temporary unless --state-dir is given."
    )
    var demo = false
    @Flag(help: "Print the routes, one a line, and end.")
    var routes = false
    @Flag(help: "Print the version and end.")
    var version = false

    func run() async throws {
        if version { return Terminal.say("ralph-mobile-server \(ServerVersion.text)") }
        if routes { return RalphServer.routes.forEach(Terminal.say) }
        try await Terminal.run(isServer: true) {
            let mask = umask(0o077)
            let environment = ProcessInfo.processInfo.environment
            var configuration = try ServerConfiguration(flags, environment: environment)
            let descriptors = DescriptorLimit.raise()
            try configuration.limit(toDescriptors: descriptors.now)
            configuration.childDescriptors = descriptors.before
            configuration.childMask = UInt32(mask)
            var logger = Logger(label: "ralph-mobile-server") { LogLines.standardError(label: $0) }
            logger.logLevel = configuration.logLevel
            for warning in configuration.warnings { logger.warning("\(warning)") }
            // A demonstration has copies to take away from the moment on that it is made.
            let early = demo ? await TrappedSignals.trap() : nil
            let server = try RalphServer(configuration, environment: environment, logger: logger)
            let signals = if let early { early } else { await TrappedSignals.trap() }
            try await server.run(
                signals: signals, isJournal: StandardStream.output.isJournal(environment),
                say: Terminal.say)
        }
    }

    /// What was said about the server's settings; `doctor` looks at the same.
    var flags: ServerConfiguration.Flags {
        var flags = ServerConfiguration.Flags()
        flags.port = port
        flags.bind = bind
        flags.bindAll = bindAll
        flags.roots = place.root
        flags.stateDirectory = place.stateDir
        flags.ring = ring
        flags.depth = depth
        flags.excludes = exclude
        flags.rescanSeconds = rescan
        flags.ralph = ralph
        flags.noSearch = noSearch
        flags.logLevel = logLevel
        flags.showsKey = showKey
        flags.isDemo = demo
        flags.allowedHosts = allowedHost
        flags.allowedOrigins = allowedOrigin
        flags.apiKeyFile = apiKeyFile
        flags.noAuth = noAuth
        flags.iKnow = iKnow
        flags.allowsQueryKey = allowQueryKey
        flags.allowsRemoteCommands = allowRemoteCommands
        flags.trustedProxies = trustedProxy
        flags.tlsCertificate = tlsCert
        flags.tlsKey = tlsKey
        flags.isSelfSigned = tlsSelfSigned
        flags.rateLimit = rateLimit
        flags.sentinelStallSeconds = sentinelStall
        flags.sentinelRepeat = sentinelRepeat
        flags.sentinelGates = sentinelGates
        flags.sentinelTokens = sentinelTokens
        return flags
    }
}
