import Configuration
import Foundation
import Logging
import RalphControl
import RalphFeed

/// Flags and environment variables as settings (http-contract 15.1). A flag wins over a variable, except that
/// `RALPH_MOBILE_SERVER_BIND` wins over `--bind`, `--bind-all` and, if it names a port, `--port`.
extension ServerConfiguration {
    /// What the command line said; `nil` and empty: nothing.
    package struct Flags: Sendable {
        package var port: Int?
        package var bind: String?
        package var bindAll = false
        package var roots: [String] = []
        package var stateDirectory: String?
        package var ring: Int?
        package var depth: Int?
        package var excludes: [String] = []
        package var rescanSeconds: Double?
        package var noSearch = false
        package var logLevel: String?
        package var ralph: String?
        package var showsKey = false
        package var isDemo = false
        package var allowedHosts: [String] = []
        package var allowedOrigins: [String] = []
        package var apiKeyFile: String?
        package var noAuth = false
        package var iKnow = false
        package var allowsQueryKey = false
        package var allowsRemoteCommands = false
        package var trustedProxies: [String] = []
        package var tlsCertificate: String?
        package var tlsKey: String?
        package var isSelfSigned = false
        package var rateLimit: Int?
        package var sentinelStallSeconds: Int?
        package var sentinelRepeat: Int?
        package var sentinelGates: Int?
        package var sentinelTokens: Int?

        package init() {}
    }

    /// - Throws: ``ConfigurationProblem`` that names the setting, what is wrong, and what would be right.
    package init(_ flags: Flags, environment: [String: String]) throws(ConfigurationProblem) {
        self.init()
        // An empty variable is none: that is how shells and service files take one back.
        let variables = ConfigReader(
            provider: EnvironmentVariablesProvider(
                environmentVariables: environment.filter { !$0.value.isEmpty }))
        try setAddress(flags, variable: variables.string(forKey: "ralph.mobile.server.bind"))
        apiKey = variables.string(forKey: "ralph.api.key", isSecret: true)
        try setAccess(flags)
        try setTLS(flags)
        showsKey = flags.showsKey
        notifySocket = variables.string(forKey: "notify.socket")
        namedRoots = Self.given(flags.roots, environment).paths.map(Self.absolute)
        roots = try Self.roots(flags.roots, environment)
        stateDirectory = try Self.named(flags.stateDirectory)
        ralph = ControlSettings.resolve(flag: flags.ralph, environment: environment)
        if let program = Bundle.main.executablePath { libraries = Self.libraries(of: program) }
        try setNumbers(flags)
        sentinels = try SentinelSettings(flags)
        try setExcludes(flags.excludes)
        hasSearch = !flags.noSearch
        isDemo = flags.isDemo
        if isDemo, roots.count > 1 {
            throw ConfigurationProblem(
                "--demo plays copies of one --root, and \(roots.count) were given; scripts/run gives one itself."
            )
        }
        for text in flags.allowedHosts where !WebOrigin.isHost(text.lowercased()) {
            throw ConfigurationProblem("--allowed-host \(text): expected a host name, without a port.")
        }
        allowedHosts = flags.allowedHosts
        for text in flags.allowedOrigins where CrossOriginPolicy.Rule(text) == nil {
            throw ConfigurationProblem(
                "--allowed-origin \(text): expected an origin, https://HOST or http://HOST:PORT, or a host name."
            )
        }
        allowedOrigins = flags.allowedOrigins
        try setLogLevel(flags.logLevel, variable: variables.string(forKey: "rust.log"))
    }

    private mutating func setLogLevel(_ flag: String?, variable: String?) throws(ConfigurationProblem) {
        if let flag {
            guard let level = Self.level(flag) else {
                throw ConfigurationProblem(
                    "--log-level \(flag): expected trace, debug, info, notice, warning, error or critical.")
            }
            logLevel = level
            return
        }
        // `module` and `module=level` are about modules of Rust programs that share the variable; a level is for all.
        for word in (variable ?? "").split(separator: ",") where !word.contains("=") {
            let name = word.trimmingCharacters(in: .whitespaces)
            if let level = Self.level(name) {
                logLevel = level
            } else if !name.isEmpty {
                warnings.append("RUST_LOG: \(name.prefix(64)) is no level of the log and is passed over")
            }
        }
    }

    /// The state directory of a server that was started with these; no other setting is looked at.
    ///
    /// - Throws: ``ConfigurationProblem``.
    package static func stateDirectory(
        named path: String?, roots: [String], environment: [String: String]
    ) throws(ConfigurationProblem) -> String {
        func standardized(_ path: String) -> String { URL(fileURLWithPath: path).standardizedFileURL.path }
        if let path = try named(path) { return standardized(path) }
        let root = try Self.roots(roots, environment)[0]
        return standardized(defaultStateDirectory(root: root, environment: environment))
    }

    private static func named(_ stateDirectory: String?) throws(ConfigurationProblem) -> String? {
        guard stateDirectory?.isEmpty != true else {
            throw ConfigurationProblem(
                "--state-dir: an empty path is no directory; name one, or leave the flag out.")
        }
        return stateDirectory.map { ($0 as NSString).expandingTildeInPath }
    }

    /// One at least.
    private static func roots(
        _ given: [String], _ environment: [String: String]
    ) throws(ConfigurationProblem) -> [String] {
        let (paths, setting) = Self.given(given, environment)
        return try paths.map { path throws(ConfigurationProblem) in try directory(path, from: setting) }
    }

    private static func given(
        _ roots: [String], _ environment: [String: String]
    ) -> (paths: [String], setting: String) {
        if roots.isEmpty, let home = environment["RALPH_HOME"], !home.isEmpty {
            return ([home], "RALPH_HOME")
        }
        return (roots.isEmpty ? [FileManager.default.currentDirectoryPath] : roots, "--root")
    }

    private static func absolute(_ path: String) -> String {
        URL(fileURLWithPath: (path as NSString).expandingTildeInPath).standardizedFileURL.path
    }

    private mutating func setExcludes(_ names: [String]) throws(ConfigurationProblem) {
        for name in names where name.isEmpty || name.contains("/") || [".", ".."].contains(name) {
            throw ConfigurationProblem(
                "--exclude \(name): expected a directory's name, not a path; no directory of that name is entered."
            )
        }
        excludes = names
    }

    private mutating func setNumbers(_ flags: Flags) throws(ConfigurationProblem) {
        if let ring = flags.ring {
            let bounds = FeedConfiguration.ringBounds
            guard bounds.contains(ring) else {
                throw ConfigurationProblem(
                    "--ring \(ring): the ring holds \(bounds.lowerBound) to \(bounds.upperBound) events.")
            }
            self.ring = ring
        }
        if let depth = flags.depth {
            guard (0...16).contains(depth) else {
                throw ConfigurationProblem("--depth \(depth): 0 to 16 levels.")
            }
            self.depth = depth
        }
        if let seconds = flags.rescanSeconds {
            guard (0.1...3600).contains(seconds) else {
                throw ConfigurationProblem("--rescan \(seconds): 0.1 to 3600 seconds.")
            }
            rescan = .seconds(seconds)
        }
        if let rate = flags.rateLimit {
            guard (0...100_000).contains(rate) else {
                throw ConfigurationProblem(
                    "--rate-limit \(rate): 1 to 100000 requests a second of one address, or 0 for any number."
                )
            }
            rates = RequestRates(perSecond: rate)
        }
    }

    /// The canonical path of a root; it must be a directory that exists.
    private static func directory(
        _ path: String, from setting: String
    ) throws(ConfigurationProblem) -> String {
        var isDirectory: ObjCBool = false
        let expanded = (path as NSString).expandingTildeInPath
        let exists = FileManager.default.fileExists(atPath: expanded, isDirectory: &isDirectory)
        try refuseOtherText(path, setting, exists: exists)
        guard exists, isDirectory.boolValue else {
            throw ConfigurationProblem("\(setting) \(path): there is no such directory.")
        }
        return URL(fileURLWithPath: expanded).resolvingSymlinksInPath().path
    }

    /// Bytes that are no text became others when the path was read; where those name nothing, it was meant otherwise.
    ///
    /// - Throws: ``ConfigurationProblem``.
    static func refuseOtherText(
        _ path: String, _ setting: String, exists: Bool
    ) throws(ConfigurationProblem) {
        guard !exists, path.unicodeScalars.contains("\u{FFFD}") else { return }
        throw ConfigurationProblem("\(setting) \(path): this path is not UTF-8; name one that is.")
    }

    /// Our own levels, and Rust's spelling of them.
    private static func level(_ text: String) -> Logger.Level? {
        switch text.lowercased() {
        case "warn": .warning
        case "off": .critical
        case let name: Logger.Level(rawValue: name)
        }
    }
}

/// A setting that cannot be used.
package struct ConfigurationProblem: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}
