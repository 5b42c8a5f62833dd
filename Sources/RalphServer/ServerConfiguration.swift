import Crypto
import Foundation
package import Logging
import RalphFeed
package import RalphSessions
import RalphWire

/// Every setting of the server. Made once at the start from flags and environment; nothing else reads them.
package struct ServerConfiguration: Sendable {
    /// The address to listen on: an IP literal or a host name. Default: loopback only.
    package var host = "127.0.0.1"
    /// The port to listen on, 0 … 65535; 0: any free one. Default 8080.
    package var port = 8080
    /// The key that every request must show; `nil`: none is asked for. Default: none on loopback, minted else.
    package var apiKey: String?
    /// The file that it was read from.
    var apiKeyFile: String?
    /// Whether nobody is asked for a key, wherever they come from.
    package var isOpenToAll = false
    /// Whether `?api_key=` counts, which leaves the key in logs and histories.
    package var allowsQueryKey = false
    /// Whether callers from elsewhere may have runs start any program; see ``CommandRule``.
    package var allowsRemoteCommands = false
    /// Proxies that are believed about whom they pass requests on for: addresses and networks
    /// (``AddressRange``).
    package var trustedProxies: [String] = []
    /// Where the certificate comes from; `nil`: plain HTTP.
    package var tls: TLSSource?
    /// Print the key at the start.
    package var showsKey = false
    /// Directories below which sessions are found. Default: `RALPH_HOME`, else the current directory.
    package var roots: [String] = []
    /// The same by the absolute paths that they were given by, which may be links.
    package var namedRoots: [String] = []
    /// Levels below a root; default 3.
    package var depth = 3
    /// Directory names that are not entered, beside the built-in ones.
    package var excludes: [String] = []
    /// How often everything is looked at again; default 5 s.
    package var rescan: Duration = .seconds(5)
    /// What a directory lies on, and so whether inotify tells all; `nil`: what the system says.
    package var fileSystem: (@Sendable (String) -> FileSystemKind?)?
    /// How long reading may stand still until that is told, and the server listens all the same; default 30 s.
    package var readingPatience: Duration = .nanoseconds(IngestTurn.longest)
    /// How long the first look at the roots may take before the server listens all the same; default 6 s.
    package var firstLookPatience = Ingest.firstLookPatience
    /// Where the store and the key lie. Default: below `$XDG_STATE_HOME`, one directory per first root.
    package var stateDirectory: String?
    /// Events kept per session, 100 … 1 000 000; default 1000.
    package var ring = 1000
    /// Whether events are indexed for search.
    package var hasSearch = true
    package var logLevel = Logger.Level.info
    /// The program that starts runs: `--ralph`, `RALPH_BIN`, or `ralph` on `PATH`; an absolute path, or a name that was not
    /// on `PATH`. `nil`: none was named or found; everything but starting and continuing runs works.
    package var ralph: String?
    /// Followed files that stay open between reads.
    package var openFiles = TailLimits().openFiles
    /// The soft limit on open descriptors that runs begin with; `nil`: the server's.
    package var childDescriptors: Int?
    /// What new files of runs are not to be allowed (umask(2)): what the server was started with.
    package var childMask: UInt32 = 0o022
    /// Directories like the package's `library/`, whose configurations and prompts may be used from anywhere.
    package var libraries: [String] = []
    /// Play recorded sessions in a temporary root.
    package var isDemo = false
    /// The lock of the demo, by which its runs know that they are to play; `nil`: it is none.
    var demoLock: String?
    /// Host names that we answer for, beside IP literals, `localhost` and `*.local`.
    package var allowedHosts: [String] = []
    /// Origins (`https://app.example`) and host names whose web pages may read our answers, beside those of this
    /// machine; see ``CrossOriginPolicy``.
    package var allowedOrigins: [String] = []
    /// Where the service manager wants to hear of us (sd_notify(3)).
    package var notifySocket: String?
    package var http = HTTPLimits()
    package var streams = StreamLimits()
    package var rates = RequestRates()
    /// Whether wrong keys are answered late after a few.
    package var slowsGuesses = true
    package var sentinels = SentinelSettings()
    /// What was said and does not hold, a line each, for the log.
    package var warnings: [String] = []

    package init() {}

    /// The name that the server was told to listen on, which it then answers for; empty for an address.
    var boundName: [String] { IPAddress(host) == nil ? [host] : [] }

    /// Whether only this machine can reach the address.
    package var isLoopback: Bool {
        host == "localhost" || IPAddress(host)?.isLoopback == true
    }

    /// The library that belongs to the program `executable`: beside it, where an installation puts it, or in
    /// the package that it was built in.
    package static func libraries(of executable: String) -> [String] {
        let directory = (executable as NSString).deletingLastPathComponent
        var candidates = [directory + "/library", directory + "/../share/ralph-mobile-server/library"]
        if let build = directory.range(of: "/.build/") {
            candidates.append(directory[..<build.lowerBound] + "/library")
        }
        return candidates.filter { FileManager.default.fileExists(atPath: $0 + "/configs") }
    }

    /// `HOME`, or, where that names none, what the system knows of the user.
    static func homeDirectory(_ environment: [String: String]) -> String {
        if let home = environment["HOME"], !home.isEmpty { return home }
        guard let entry = getpwuid(getuid()), let home = entry.pointee.pw_dir else { return "/" }
        return String(cString: home)
    }

    /// The state directory that is used when none is named (design 4).
    package static func defaultStateDirectory(root: String, environment: [String: String]) -> String {
        let digest = SHA256.hash(data: Data(root.utf8)).prefix(6)
        // The XDG base directory specification: a path that is not absolute counts as none.
        let stateHome = environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        let base = stateHome ?? homeDirectory(environment) + "/.local/state"
        return "\(base)/ralph-mobile-server/\(Hexadecimal.text(digest))"
    }
}
