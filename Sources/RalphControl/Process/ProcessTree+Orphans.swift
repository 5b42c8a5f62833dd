import Foundation
package import RalphSessions

extension ProcessTree {
    /// What agents of the run in `directory` have left behind: processes whose environment names it, and all
    /// below them, that have no living ralph above (contract 4.1).
    ///
    /// Ralph gives its agents `RALPH_WORKSPACE_ROOT` and `RALPH_EVENTS_FILE` (contract 4.7). Processes whose
    /// environment may not be read, and those of other users, are not found. This process and those above it are never among them.
    package func orphans(of directory: SessionDirectory) -> [ProcessGroup] {
        var marks = WorkspaceMarks(directory)
        let keepers = keepers(of: directory)
        var spared = Set(ancestors(of: getpid()))
        spared.insert(getpid())
        var found: [Int32: ProcessStatus] = [:]
        for (pid, status) in processes where found[pid] == nil && !spared.contains(pid) {
            guard let environment = ProcessFile.bytes(pid: pid, "environ"), marks.match(environment),
                !isKept(pid, by: keepers, directory), ProcessIdentity(status).uid == geteuid()
            else { continue }
            for status in [status] + statuses(below: ProcessIdentity(status))
            where !spared.contains(status.pid) && !isKept(status.pid, by: keepers, directory) {
                found[status.pid] = status
            }
        }
        return Self.groups(of: Array(found.values))
    }

    /// Whether a run of a layout that is not known may be at work in `workspace`: what is called as such a layout is, or is
    /// a ralph at work, works there and is no run of a known one. Processes of other users are not found.
    func mayRunUnknown(in workspace: String) -> Bool {
        let known = keepers(of: SessionDirectory(workspace: workspace))
        return processes.keys.contains { pid in
            guard pid != getpid(), !known.contains(pid), isCalledUnknown(pid) || runsLoop(pid) else {
                return false
            }
            return RunningProcess.directory(of: pid)?.isPath(workspace) == true
        }
    }

    /// Whether `pid` runs what is called as a layout that is not known, or begins so (`autoloop.js`): a program, or the
    /// script that its interpreter was given, perhaps behind an option or a word such as `run`.
    private func isCalledUnknown(_ pid: Int32) -> Bool {
        words(of: pid).prefix(3).contains { word in
            let name = (word as NSString).lastPathComponent
            return SessionDirectory.unknownNames.contains { name.hasPrefix($0) }
        }
    }

    /// The ralphs that work in the workspace of `directory` or in a worktree of it: whoever holds the lock,
    /// and the loops that are registered.
    private func keepers(of directory: SessionDirectory) -> Set<Int32> {
        var probe = LivenessProbe()
        probe.refresh()
        var keepers: Set<Int32> = []
        if let pid = probe.liveness(of: DiscoveredSession(directory: directory)).pid { keepers.insert(pid) }
        for main in [directory, directory.mainOfWorktree].compactMap({ $0 }) {
            for loop in probe.worktreeLoops(of: main) where processes[loop.pid] != nil {
                keepers.insert(loop.pid)
            }
        }
        keepers.remove(getpid())
        return keepers
    }

    /// The groups that end with the agents of `ralph`, the run in `directory`: those below it, without runs of others.
    func agentGroups(of ralph: ProcessIdentity, in directory: SessionDirectory) -> [ProcessGroup] {
        withoutRuns(elsewhereThan: directory, below: ralph, agentGroups(of: ralph))
    }

    /// `groups` without those of runs elsewhere: an agent may have started one, which outlives it. So may the loops that are
    /// registered in other worktrees: each is a session of its own (contract 4.2, 5.1). A group is such a run's if
    /// its leader is that or below it, or all of its members that live; who else is in it has lost its parent.
    ///
    /// What is not called `ralph` and nothing else is part of its agent: to leave it would be worse than to end it. A run
    /// that shares its agent's group ends with it, with all below it. Only one in the foreground of the agent's terminal
    /// stays in that group (contract 4.1), which is hung up with the agent anyway; and signals to the members that are known
    /// would miss new ones.
    ///
    /// - Parameter ralph: the run's own. Neither it nor what is above it counts, nor what it has started itself: that is its
    ///   agent, whatever its name and wherever it works.
    func withoutRuns(
        elsewhereThan directory: SessionDirectory, below ralph: ProcessIdentity?, _ groups: [ProcessGroup]
    ) -> [ProcessGroup] {
        let own = ralph.flatMap { status(of: $0) }?.pid
        // Ralph may see its workspace under another name, as in a container.
        let place = own.flatMap { RunningProcess.directory(of: $0) }
        let living = groups.flatMap(\.members).filter { status(of: $0) != nil }
        let lines = Dictionary(living.map { ($0, line(of: $0.pid, below: own)) }) { first, _ in first }
        let candidates = Set(lines.values.joined()).filter { isCalledRalph($0) && !sharesGroup($0) }
        let loops: Set<Int32> = candidates.isEmpty ? [] : loopsBeside(directory)
        let runs = candidates.filter { pid in
            isLoop(pid, of: loops)
                || isRun(pid, elsewhereThan: directory)
                    && (place == nil || RunningProcess.directory(of: pid) != place)
        }
        let others = Set(lines.filter { !runs.isDisjoint(with: $0.value) }.keys)
        let leaders = Set(others.map(\.pid))
        return groups.compactMap { group in
            let living = group.members.filter { lines[$0] != nil }
            guard !leaders.contains(group.id), living.isEmpty || !living.allSatisfy(others.contains) else {
                return nil
            }
            // One that has left the group since it was seen there would be signalled by itself.
            let members = group.members.filter {
                !others.contains($0) || status(of: $0)?.group == group.id
            }
            return ProcessGroup(id: group.id, members: members)
        }
    }

    /// The loops that are registered in the workspace of `directory`, or in the main one of a worktree, but for its own. Ralph
    /// works where it was started, so that their place tells nothing of them (contract 5.1).
    private func loopsBeside(_ directory: SessionDirectory) -> Set<Int32> {
        var probe = LivenessProbe()
        var loops: Set<Int32> = []
        for main in [directory, directory.mainOfWorktree].compactMap({ $0 }) {
            for loop in probe.worktreeLoops(of: main) where !loop.workspace.isPath(directory.workspace) {
                loops.insert(loop.pid)
            }
        }
        return loops
    }

    /// Whether `pid` is a ralph at work that is one of `loops`: what a file names may be anything.
    private func isLoop(_ pid: Int32, of loops: Set<Int32>) -> Bool {
        guard loops.contains(pid), pid != getpid(), let status = processes[pid] else { return false }
        // The number may be another's by now.
        return runsLoop(pid) && ProcessIdentity(status).isAlive
    }

    /// Whether `pid` is in the group of another that lives.
    private func sharesGroup(_ pid: Int32) -> Bool {
        guard let group = processes[pid]?.group else { return false }
        return group != pid && processes[group] != nil
    }

    /// `pid` and what is above it, nearest first, as far as it is below what `ralph` has started.
    private func line(of pid: Int32, below ralph: Int32?) -> ArraySlice<Int32> {
        let line = [pid] + ancestors(of: pid)
        guard let ralph, let end = line.firstIndex(of: ralph) else { return line[...] }
        return line[..<end].dropLast()
    }

    /// Whether `pid` is one of `keepers` or below one, is a run elsewhere, or is below anything else that runs loops: an
    /// agent may have started one, which bears its marks.
    private func isKept(_ pid: Int32, by keepers: Set<Int32>, _ directory: SessionDirectory) -> Bool {
        keepers.contains(pid) || isRun(pid, elsewhereThan: directory)
            || ancestors(of: pid).contains { keepers.contains($0) || ($0 != getpid() && runsLoop($0)) }
    }

    /// Whether `pid` is a ralph at work that works neither in the workspace nor, for a worktree, in the main one. An agent may
    /// be called so and works there. Nothing is looked up: its directory may be on a mount that does not answer.
    private func isRun(_ pid: Int32, elsewhereThan directory: SessionDirectory) -> Bool {
        guard pid != getpid(), let status = processes[pid], runsLoop(pid) else { return false }
        let place = RunningProcess.directory(of: pid)
        // The number may be another's by now.
        guard ProcessIdentity(status).isAlive else { return false }
        return ![directory, directory.mainOfWorktree].compactMap { $0?.workspace }.contains {
            place == $0 || place == $0 + " (deleted)"
        }
    }

    /// Whether the command line is that of a ralph at work. A ralph whose lock is not seen (an old version, a
    /// file system that lists none) keeps its agents by this alone; nothing is ever signalled for its name.
    private func runsLoop(_ pid: Int32) -> Bool { Self.runsLoop(words(of: pid)) }

    /// Whether `pid` runs what is called `ralph` and nothing else: a program, or the script that its interpreter or loader was
    /// given. Who was only given a file of this name, such as an editor, does not.
    private func isCalledRalph(_ pid: Int32) -> Bool {
        let names = words(of: pid).prefix(2).map { ($0 as NSString).lastPathComponent }
        guard let first = names.first, first != "ralph" else { return names.first == "ralph" }
        // The system calls the process of a script after that, whatever reads it (execve(2)); not where `env` was asked to
        // find the interpreter.
        return names.last == "ralph" && (processes[pid]?.name == "ralph" || Self.isInterpreter(first))
    }

    private static func isInterpreter(_ name: String) -> Bool {
        let shells: Set = ["sh", "ash", "dash", "bash", "ksh", "zsh"]
        let beginnings = ["node", "bun", "deno", "python", "ruby", "perl", "ld-", "qemu-"]
        return shells.contains(name) || beginnings.contains { name.hasPrefix($0) }
    }

    /// The first 64 words of the command line.
    private func words(of pid: Int32) -> [String] {
        guard let bytes = ProcessFile.bytes(pid: pid, "cmdline") else { return [] }
        return bytes.split(separator: 0, maxSplits: 64).prefix(64).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Whether a command line, program first, is that of a ralph at work.
    static func runsLoop(_ words: [String]) -> Bool {
        // The word may be the second: an interpreter or a loader may stand before the program.
        guard let index = words.prefix(2).firstIndex(where: isRalph) else { return false }
        return words[(index + 1)...].contains { $0 == "run" || $0 == "resume" }
    }

    private static func isRalph(_ word: String) -> Bool {
        (word as NSString).lastPathComponent.hasPrefix("ralph")
    }

    /// The parents of `pid`, nearest first.
    private func ancestors(of pid: Int32) -> [Int32] {
        var found: [Int32] = []
        var next = processes[pid]?.parent ?? 0
        while next > 0, !found.contains(next) {
            found.append(next)
            next = processes[next]?.parent ?? 0
        }
        return found
    }
}
