import Foundation

extension ControlSettings {
    /// Variables by which the service manager speaks with this server alone (systemd.exec(5), sd_notify(3)).
    private static let managerVariables: Set<String> = [
        "NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "LISTEN_FDS", "LISTEN_PID", "LISTEN_FDNAMES",
        "LISTEN_PIDFDID", "MAINPID", "MANAGERPID", "INVOCATION_ID", "JOURNAL_STREAM", "FDSTORE",
        "CREDENTIALS_DIRECTORY", "SYSTEMD_EXEC_PID", "STATE_DIRECTORY", "RUNTIME_DIRECTORY",
        "CONFIGURATION_DIRECTORY", "LOGS_DIRECTORY", "CACHE_DIRECTORY", "MEMORY_PRESSURE_WATCH",
        "MEMORY_PRESSURE_WRITE",
    ]
    /// What is shorter than this is no key, and too likely to be part of something else.
    private static let shortestKeyCharacters = 8

    /// The environment for runs: `own` without what would change Ralph's doings (`RALPH_*`, contract 4.7),
    /// what the service manager said to this server, and our keys, under whatever name.
    ///
    /// - Parameter secrets: keys that come from elsewhere, such as a file.
    package static func childEnvironment(
        _ own: [String: String], secrets: [String] = []
    ) -> [String: String] {
        let named = own.filter { $0.key.hasPrefix("RALPH_") && $0.key.contains("KEY") }.values
        let keys = (named + secrets).filter { $0.count >= shortestKeyCharacters }
        return own.filter { name, value in
            !name.uppercased().hasPrefix("RALPH_") && !managerVariables.contains(name)
                && !keys.contains { value.contains($0) }
        }
    }

    /// The program to start runs with: `flag` (`--ralph`), else `RALPH_BIN`, else `ralph` on `PATH`.
    ///
    /// - Returns: an absolute path. One that was asked for by name is given even if nothing is there, so that
    ///   the first start can say so; `nil`: nothing was asked for and nothing found.
    package static func resolve(flag: String?, environment: [String: String]) -> String? {
        for wanted in [flag, environment["RALPH_BIN"]].compactMap({ $0 }) where !wanted.isEmpty {
            if wanted.hasPrefix("~") { return (wanted as NSString).expandingTildeInPath }
            if wanted.contains("/") { return URL(fileURLWithPath: wanted).standardizedFileURL.path }
            return find(wanted, path: environment["PATH"]) ?? URL(fileURLWithPath: wanted).path
        }
        return find("ralph", path: environment["PATH"])
    }

    /// The program to start runs with as it is now: ``ralph``, else one that is on `PATH` by now; `nil`: there is none.
    package var presentRalph: String? { ralph ?? program("ralph") }

    /// Why the program that was named cannot be started; `nil`: it can, or none was named.
    package var programProblem: String? {
        ralph.flatMap { path in RalphProgram.problem(with: path).map { "\(path) \($0)" } }
    }

    /// The absolute path of `name` on the `PATH` that runs get; `nil`: it is not there.
    package func program(_ name: String) -> String? { Self.find(name, path: environment["PATH"]) }

    /// The first program of this name in the absolute directories of `path`.
    private static func find(_ name: String, path: String?) -> String? {
        (path ?? "").split(separator: ":").filter { $0.hasPrefix("/") }.map { "\($0)/\(name)" }
            .first { RalphProgram.problem(with: $0) == nil }
    }
}
