import Crypto
package import RalphWire

/// One session directory and the names of everything that Ralph keeps in it (contract 1.1, 1.2).
///
/// The only file that spells a file name of Ralph's. Nothing here touches the disk; paths come in canonical
/// (realpath(3)) and without a trailing slash.
package struct SessionDirectory: Sendable, Hashable {
    /// The ways in which versions of Ralph lay a session out.
    package enum Layout: String, Sendable, Codable, CaseIterable {
        /// `.ralph/` of version 2, also below `.worktrees/<id>`.
        case ralph
        /// `.agent/events.jsonl` of version 1.
        case agent
        /// `.ralph/sessions/<id>/`.
        case nested
        /// A directory that we can name but not read (`autoloop/` of version 3); never written to.
        case unknown
    }

    /// The session directory itself.
    package let path: String
    /// The directory that holds `.ralph`, `.agent` or `autoloop`.
    package let workspace: String
    package let layout: Layout
    /// Made of ``path`` alone, see ``SessionID``.
    package let id: SessionID

    package init(path: String, workspace: String, layout: Layout) {
        self.path = path
        self.workspace = workspace
        self.layout = layout
        var prefix: UInt64 = 0
        for byte in SHA256.hash(data: Array(path.utf8)).prefix(8) { prefix = prefix << 8 | UInt64(byte) }
        self.id = SessionID(digestPrefix: prefix)
    }

    package static func == (left: SessionDirectory, right: SessionDirectory) -> Bool {
        left.path.isPath(right.path) && left.workspace.isPath(right.workspace)
            && left.layout == right.layout
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(PathKey(path)) }
}

// MARK: - What makes a directory a session

extension SessionDirectory {
    package static let ralphName = ".ralph"
    package static let agentName = ".agent"
    package static let worktreesName = ".worktrees"
    /// Below ``ralphName``: one directory per session.
    package static let nestedName = "sessions"
    /// Version 3; a `*.jsonl` in one of them makes a session of ``Layout/unknown``.
    package static let unknownNames: Set<String> = ["autoloop", ".autoloop"]
    /// Where a wrapper of `ralph run --rpc` keeps the run's output, in the workspace.
    package static let agentOutputName = "rpc-stdout.jsonl"

    package static let pointerName = "current-events"
    package static let loopIDName = "current-loop-id"
    package static let lockName = "loop.lock"
    package static let loopsName = "loops.json"
    package static let suspendStateName = "suspend-state.json"
    package static let stopRequestedName = "stop-requested"
    package static let resumeRequestedName = "resume-requested"
    /// Ours: the pause gate of a generated configuration looks for it (contract 4.4).
    package static let pauseRequestedName = "pause-requested"
    /// The configuration of a workspace, in the workspace itself.
    package static let configName = "ralph.yml"
    /// Where there is no ``configName``.
    package static let otherConfigName = "ralph.yaml"
    /// What the name of a lock file adds to that of the file (contract 6.2).
    package static let lockSuffix = ".lock"
    /// The user's own configuration, in the user's ``ralphName``.
    package static let userConfigName = "config.yml"
    /// Where Ralph finds what it merges under every configuration of a run with this environment (contract 1.1, 7.1);
    /// `nil`: nowhere.
    package static func userConfiguration(_ environment: [String: String]) -> String? {
        guard let home = environment["HOME"], home.hasPrefix("/") else { return nil }
        return home + "/" + ralphName + "/" + userConfigName
    }

    /// The events file when there is no pointer (contract 1.1).
    package static let plainEventsName = "events.jsonl"
    /// The events file of ``Layout/nested``, beside ``plainEventsName`` (http-contract 15.2).
    package static let nestedEventsName = "session.jsonl"

    /// Whether `name` is an events file of a run: `events.jsonl` or `events-….jsonl`.
    ///
    /// Names of runs carry their start in UTC, so that their order is the order of time.
    package static func isEventsFileName(_ name: String) -> Bool {
        name == plainEventsName || isRunEventsFileName(name)
    }

    /// Whether `name` is `events-….jsonl`.
    package static func isRunEventsFileName(_ name: String) -> Bool {
        name.hasPrefix("events-") && name.hasSuffix(".jsonl") && name.utf8.count > "events-.jsonl".utf8.count
    }

    /// Whether `name` is `events-YYYYMMDD-HHMMSS.jsonl`, as Ralph names the file of a run that it begins (contract 1.1).
    package static func isDatedEventsFileName(_ name: String) -> Bool {
        isRunEventsFileName(name) && name.utf8.count == "events-YYYYMMDD-HHMMSS.jsonl".utf8.count
            && name.utf8.dropFirst(7).prefix(15).enumerated().allSatisfy { index, byte in
                index == 8 ? byte == UInt8(ascii: "-") : (0x30...0x39).contains(byte)
            }
    }

    /// Whether a file of this name makes a `.ralph/` a session.
    package static func isRalphEvidence(_ name: String) -> Bool {
        name == pointerName || name == lockName || name == loopIDName || isEventsFileName(name)
    }

    /// Whether a file of this name makes a `.ralph/sessions/<id>/` a session.
    package static func isNestedEvidence(_ name: String) -> Bool {
        name == nestedEventsName || name == plainEventsName
    }

    /// Whether a loop of this id is the first of its workspace and not one of a worktree (contract 1.1).
    package static func isPrimaryLoopID(_ loopID: String) -> Bool { loopID.hasPrefix("primary-") }
}

// MARK: - Paths

extension SessionDirectory {
    /// Names the current events file; see ``eventsPath(pointer:)``.
    package var pointerFile: String { file(Self.pointerName) }
    package var currentLoopID: String { file(Self.loopIDName) }
    package var lockFile: String { file(Self.lockName) }
    /// The worktree loops of a main workspace (contract 5.3).
    package var loopsFile: String { file(Self.loopsName) }
    package var mergeQueue: String { file("merge-queue.jsonl") }
    package var suspendState: String { file(Self.suspendStateName) }
    package var resumeRequested: String { file(Self.resumeRequestedName) }
    package var pauseRequested: String { file(Self.pauseRequestedName) }
    package var stopRequested: String { file(Self.stopRequestedName) }
    /// Never written by us (contract 4.3).
    package var restartRequested: String { file("restart-requested") }
    package var urgentSteer: String { file("urgent-steer.json") }
    /// Rewritten after every iteration (contract 2.6).
    package var loopState: String { file("api/loop-state.json") }
    package var robotQuestion: String { file("api/robot-question.json") }
    package var robotResponse: String { file("api/robot-response.json") }
    /// What `--continue` must find (contract 4.5).
    package var scratchpad: String { file("agent/scratchpad.md") }
    /// Of the robot's Telegram mode (contract 6.5).
    package var telegramState: String { file("telegram-state.json") }
    package var tasks: String { file("agent/tasks.jsonl") }
    package var memories: String { file("agent/memories.md") }
    package var plainEventsFile: String { file(Self.plainEventsName) }
    /// Written when a run has ended by itself (contract 1.1).
    package var summary: String { agentFile("summary.md") }
    /// Written when a run has reached its goal (contract 1.1).
    package var handoff: String { agentFile("handoff.md") }

    /// The session of the main workspace if this one is in a worktree of it (contract 1.2).
    package var mainOfWorktree: SessionDirectory? {
        guard layout == .ralph else { return nil }
        return Self.mainWorkspace(ofWorktree: workspace).map(SessionDirectory.init(workspace:))
    }

    /// The workspace in whose `.worktrees/` the one at `path` lies.
    static func mainWorkspace(ofWorktree path: String) -> String? {
        guard let (worktrees, _) = path.pathParts, let (main, name) = worktrees.pathParts,
            name == worktreesName
        else { return nil }
        return main
    }

    /// The workspace of what is a session directory by its name; `nil`: `path` is called otherwise.
    package static func workspace(of path: String) -> String? {
        guard let parts = path.pathParts, [ralphName, agentName].contains(parts.name) else { return nil }
        return parts.parent
    }

    /// The session that Ralph keeps in `workspace`, which may be `/`.
    package init(workspace: String) {
        self.init(
            path: workspace.appendingPath(Self.ralphName), workspace: workspace, layout: .ralph)
    }

    /// Where the scratchpad may be, best first (http-contract 3.4).
    package var scratchpads: [String] {
        let own = file("scratchpad.md")
        if layout == .nested || layout == .unknown { return [own] }
        return [
            workspace.appendingPath("\(Self.ralphName)/agent/scratchpad.md"),
            workspace.appendingPath("\(Self.agentName)/scratchpad.md"),
            own,
        ]
    }

    /// ``scratchpads`` behind the one that `core.scratchpad` names, if it names one below the workspace.
    ///
    /// What is hidden, `.ralph` and `.agent` apart, is none: keys and settings lie there. Sessions beside
    /// others in one workspace have their own alone.
    package func scratchpadPlaces(configured: String?) -> [String] {
        guard layout == .ralph || layout == .agent, let configured, let place = placeInside(configured),
            let below = place.path(below: workspace)
        else { return scratchpads }
        return Self.isHidden(below) ? scratchpads : [place] + scratchpads
    }

    /// Whether `path`, relative to a workspace, is hidden in it, `.ralph` and `.agent` apart.
    static func isHidden(_ path: String) -> Bool {
        ConfigPath.parts(of: path).enumerated().contains { index, part in
            part.utf8.first == UInt8(ascii: ".") && !(index == 0 && [ralphName, agentName].contains(part))
        }
    }

    /// The path of an events file by its name.
    package func eventsFile(named name: String) -> String { file(name) }

    /// The path of `name` where the agent's files are.
    private func agentFile(_ name: String) -> String { file(layout == .ralph ? "agent/" + name : name) }

    /// The path of `name` in this directory.
    package func file(_ name: String) -> String { path + "/" + name }

    /// The file that the text of the pointer means: relative to the workspace, or absolute (contract 1.1).
    ///
    /// - Returns: `nil` for an empty text, one with a NUL or line break inside, and a path that leaves the
    ///   workspace by its text. Whether links lead out of it is for whoever opens the file.
    package func eventsPath(pointer text: String) -> String? { placeInside(Self.trimmed(text)) }

    /// What `text` means in the workspace, by its text alone; see ``eventsPath(pointer:)``.
    private func placeInside(_ text: String) -> String? {
        guard !text.isEmpty, !text.utf8.contains(where: { $0 == 0 || $0 == 0x0A }) else { return nil }
        let absolute = text.utf8.first == UInt8(ascii: "/") ? text : workspace + "/" + text
        var parts: [String] = []
        for part in ConfigPath.parts(of: absolute) where part != "." {
            if part != ".." {
                parts.append(part)
            } else if parts.popLast() == nil {
                return nil
            }
        }
        let resolved = "/" + parts.joined(separator: "/")
        return resolved.isPath(inside: workspace) && !resolved.isPath(workspace) ? resolved : nil
    }

    /// `text` without blanks and line breaks around it, as Ralph reads its one-line files.
    package static func trimmed(_ text: String) -> String {
        let isBlank: (UInt8) -> Bool = { $0 == 0x20 || (0x09...0x0D).contains($0) }
        var bytes = text.utf8[...]
        while let first = bytes.first, isBlank(first) { bytes.removeFirst() }
        while let last = bytes.last, isBlank(last) { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
    }
}
