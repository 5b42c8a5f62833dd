import Foundation
import RalphSessions

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
    /// What no run can do without: a key that is a word in one of these is there by chance.
    private static let neededVariables: Set<String> = [
        "PATH", "HOME", "USER", "LOGNAME", "SHELL", "PWD", "TMPDIR", "LANG",
    ]
    /// Where programs are looked for without a `PATH` (execvp(3)).
    private static let standardPath = "/bin:/usr/bin"

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
                && !keys.contains { neededVariables.contains(name) ? value == $0 : value.contains($0) }
        }
    }

    /// The program to start runs with: `flag` (`--ralph`), else `RALPH_BIN`, else `ralph` on `PATH`.
    ///
    /// - Returns: an absolute path, also of what is not there, or the name that was asked for and is not on `PATH`: never
    ///   a file of the working directory, which is a repository. `nil`: nothing was asked for and nothing found.
    package static func resolve(flag: String?, environment: [String: String]) -> String? {
        for wanted in [flag, environment["RALPH_BIN"]].compactMap({ $0 }) where !wanted.isEmpty {
            let named = wanted.hasPrefix("~") ? (wanted as NSString).expandingTildeInPath : wanted
            if isPath(named) { return URL(fileURLWithPath: named).standardizedFileURL.path }
            return find(named, path: environment["PATH"]) ?? named
        }
        return find("ralph", path: environment["PATH"])
    }

    /// The program to start runs with as it is now: the path ``ralph``, else what is on `PATH` by now; `nil`: nothing is.
    package var presentRalph: String? {
        guard let ralph, Self.isPath(ralph) else { return program(ralph ?? "ralph") }
        return ralph
    }

    /// ``environment`` as Ralph gets it: it and its agents start `ralph` by that name (contract 5.4), and find on `PATH` the
    /// program that runs are started with, if it is called so. Its directory is put first where another one would be
    /// found, and else last, so that it hides no other program. That of a script is never put first: it may start
    /// the other one by its name, and would find itself.
    package var ralphEnvironment: [String: String] {
        guard let ralph = presentRalph, let (directory, name) = ralph.pathParts, name == "ralph",
            !directory.utf8.contains(UInt8(ascii: ":"))
        else { return environment }
        let other = program(name)
        if let other, let own = EntryStatus(behindLinks: ralph),
            EntryStatus(behindLinks: other)?.isSameFile(as: own) == true
        {
            return environment
        }
        if other != nil, RalphProgram.isScript(ralph) { return environment }
        let path = environment["PATH"] ?? Self.standardPath
        var environment = environment
        environment["PATH"] = (other == nil ? [path, directory] : [directory, path])
            .filter { !$0.isEmpty }.joined(separator: ":")
        return environment
    }

    /// Why the program that was named cannot be started; `nil`: it can, or none was named.
    package var programProblem: String? {
        ralph.flatMap { named in
            guard let path = presentRalph else { return "\(named) was not found on PATH" }
            return RalphProgram.problem(with: path).map { "\(path) \($0)" }
        }
    }

    /// The absolute path of `name` on the `PATH` that runs get; `nil`: it is not there.
    package func program(_ name: String) -> String? { Self.find(name, path: environment["PATH"]) }

    /// Whether `program` says where it is, and not only what it is called.
    private static func isPath(_ program: String) -> Bool { program.utf8.contains(UInt8(ascii: "/")) }

    /// The first program of this name in the absolute directories of `path`.
    private static func find(_ name: String, path: String?) -> String? {
        (path ?? "").split(separator: ":").filter { $0.hasPrefix("/") }.map { "\($0)/\(name)" }
            .first { RalphProgram.problem(with: $0) == nil }
    }
}
