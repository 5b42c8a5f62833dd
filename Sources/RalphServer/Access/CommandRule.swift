import RalphControl
import RalphSessions
import RalphWire

/// Which programs a caller may have runs start: from this machine any, from elsewhere the agents that Ralph knows
/// (design 8). What the owner of a workspace has put there is theirs, and counts for everybody.
struct CommandRule: Sendable {
    /// Callers from elsewhere may name any program too (`--allow-remote-commands`).
    var allowsRemote = false

    /// A configuration that is to be stored.
    ///
    /// - Throws: ``Problem`` 403 `command_not_allowed`, 400 for what is no configuration.
    func check(config yaml: String, by caller: Caller) throws(Problem) {
        guard !covers(caller) else { return }
        do {
            try ConfigCommands.check(yaml)
        } catch let refused as RefusedCommand {
            throw .commandNotAllowed("\(refused)")
        } catch {
            throw .invalidYAML("\(error)")
        }
    }

    /// A start, its files found. Texts that clients can write (memories, tasks, rows) are no configurations, whatever
    /// stands in them.
    ///
    /// - Throws: ``Problem`` 403 `command_not_allowed`.
    func check(_ request: StartRequest, _ plan: LaunchPlan, by caller: Caller) throws(Problem) {
        guard !covers(caller) else { return }
        if let backend = request.backend, !ConfigCommands.backends.contains(backend) {
            throw .commandNotAllowed("backend: \(backend)")
        }
        for (member, path) in [("config_path", plan.config), ("hats", plan.hats)] {
            guard let path, !path.hasPrefix("builtin:") else { continue }
            guard LibraryShelf.configs.stem(path) != nil else {
                throw .commandNotAllowed("\(member): \(path) is no .yml or .yaml file")
            }
        }
    }

    private func covers(_ caller: Caller) -> Bool { allowsRemote || caller.isLocal }
}

extension Problem {
    /// - Parameter what: the key and the program; may hold a client's words.
    static func commandNotAllowed(_ what: String) -> Problem {
        Problem(status: 403, error: "command_not_allowed", code: .forbidden, details: oneLine(what))
    }
}
