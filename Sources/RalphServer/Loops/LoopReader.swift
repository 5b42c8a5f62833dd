import Foundation
import RalphControl
import RalphSessions
import RalphWire

/// Reads which loops there are, from the lock, `loops.json` and the worktrees that were found; changes nothing.
struct LoopReader: Sendable {
    /// Canonical paths.
    let roots: [String]
    let catalogue: SessionCatalogue
    /// Looks for a `loops.json`.
    var find: @Sendable (_ path: String) -> BoundedFile.Finding = LoopsFile.find
    /// Where a worktree or workspace that a file or a request names is not looked for.
    var silent = SilentMounts()

    /// Ralph is done with rewriting a `loops.json` that is older, milliseconds.
    private static let rewriteAge: Int64 = 2000

    /// The main workspaces: the roots, and those in which a session was found. `nil`: `path` is no workspace.
    ///
    /// - Parameter path: one workspace, relative to the first root unless absolute; that of a worktree loop stands
    ///   for the main one, unless it is a root, and for itself if it has worktrees of its own. `nil`: all.
    func workspaces(_ path: String?, _ entries: [CatalogueEntry]) -> [String]? {
        var found = Set(roots.map(PathKey.init))
        for entry in entries where !entry.isGone && entry.session.directory.layout == .ralph {
            found.insert(PathKey(entry.session.worktreeOf ?? entry.session.directory.workspace))
        }
        guard let path else { return found.sorted().map(\.path) }
        let absolute = WorkspaceResolver.absolute(path, below: roots)
        guard !silent.hold(absolute, besides: places(entries)) else { return nil }
        let wanted = URL(fileURLWithPath: absolute).resolvingSymlinksInPath().path
        let main = roots.contains(where: wanted.isPath(_:)) ? wanted : Self.main(of: wanted, entries)
        let known = (main.isPath(wanted) ? [wanted] : [main, wanted]).filter { found.contains(PathKey($0)) }
        if !known.isEmpty { return known }
        return WorkspaceResolver.isWorkspace(wanted, below: roots) ? [wanted] : nil
    }

    /// Where files of ours may be.
    func places(_ entries: [CatalogueEntry]) -> [String] {
        roots
            + entries.flatMap { [$0.session.directory.workspace, $0.session.worktreeOf].compactMap(\.self) }
    }

    /// The workspace whose loops include the one that works at `path`, which may be gone: `path` itself, unless that is
    /// a worktree's.
    private static func main(of path: String, _ entries: [CatalogueEntry]) -> String {
        let entry = entries.first { $0.session.directory.workspace.isPath(path) }
        if let main = entry?.session.worktreeOf { return main }
        guard let (parent, _) = path.pathParts, let (main, name) = parent.pathParts,
            name == SessionDirectory.worktreesName
        else { return path }
        return main
    }

    /// The loops of each workspace, read on `threads`; of one that does not answer only that.
    ///
    /// - Parameter limit: for so long the files that Ralph may be rewriting are read again.
    func lists(
        of workspaces: [String], _ entries: [CatalogueEntry], on threads: FileThreads,
        within limit: Duration
    ) async throws -> [LoopList] {
        var lists = try await read(workspaces, entries, on: threads)
        // One that does not answer takes nothing from the others.
        let deadline = ContinuousClock.now + limit
        while lists.contains(where: \.isUnfinished), ContinuousClock.now < deadline {
            try await Task.sleep(for: .milliseconds(10))
            let indices = lists.indices.filter { lists[$0].isUnfinished }
            let again = try await read(indices.map { lists[$0].workspace }, entries, on: threads)
            for (index, list) in zip(indices, again) { lists[index] = list }
        }
        return lists
    }

    private func read(
        _ workspaces: [String], _ entries: [CatalogueEntry], on threads: FileThreads
    ) async throws -> [LoopList] {
        let locks = ProcessLocks.current()
        let results = try await threads.map(workspaces) { workspace in
            var probe = LivenessProbe()
            probe.use(locks)
            return list(of: workspace, entries, &probe)
        }
        return zip(workspaces, results).map { workspace, result in
            switch result {
            case .success(let list): return list
            case .failure(let error):
                var problem = Problem(any: error)
                problem.details = SessionDirectory(workspace: workspace).loopsFile
                return LoopList(workspace: workspace, loops: [], problem: problem)
            }
        }
    }

    /// The loops of a workspace: its primary if it has a lock file, then the others by their start.
    private func list(
        of workspace: String, _ entries: [CatalogueEntry], _ probe: inout LivenessProbe
    ) -> LoopList {
        let directory = SessionDirectory(workspace: workspace)
        let primary = [primary(directory, entries, &probe)].compactMap { $0 }
        switch LoopsFile.read(directory, find) {
        case .records(let records):
            return LoopList(
                workspace: workspace, loops: primary + others(records, of: workspace, entries, &probe))
        case .unfinished(nil):
            return LoopList(
                workspace: workspace, loops: primary + others([], of: workspace, entries, &probe),
                isUnfinished: Self.isFresh(directory.loopsFile))
        case .unfinished(let problem):
            return LoopList(
                workspace: workspace, loops: primary, problem: problem,
                isUnfinished: Self.isFresh(directory.loopsFile))
        case .unreadable(let problem):
            return LoopList(workspace: workspace, loops: primary, problem: problem)
        }
    }

    /// What `loops.json` of `directory` says, read on `threads`; for at most `limit` it is read again while Ralph may be
    /// rewriting it.
    func registry(
        of directory: SessionDirectory, on threads: FileThreads, within limit: Duration
    ) async throws -> LoopsFile {
        let deadline = ContinuousClock.now + limit
        while true {
            let file = try await threads.run(at: directory.workspace) { LoopsFile.read(directory, find) }
            guard case .unfinished = file, ContinuousClock.now < deadline,
                try await threads.run(at: directory.workspace, { Self.isFresh(directory.loopsFile) })
            else { return file }
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    /// Whether somebody may be writing the file at `path`: of one that was left half written long ago nothing more comes.
    private static func isFresh(_ path: String) -> Bool {
        guard let status = EntryStatus(at: path) else { return true }
        return WallClock.milliseconds() < status.modified / 1_000_000 + rewriteAge
    }

    private func others(
        _ records: [LockRecord], of workspace: String, _ entries: [CatalogueEntry],
        _ probe: inout LivenessProbe
    ) -> [Loop] {
        var loops: [String: Loop] = [:]
        lazy var ours = places(entries)
        for record in records {
            guard let id = record.loopID, Loop.isID(id) else { continue }
            let local = Self.worktree(id, of: workspace)
            let named = record.workspace ?? local
            let isElsewhere =
                !named.isPath(local) && !named.isPath(workspace) && isAnother(named, than: local, ours)
            let path = isElsewhere || !EntryStatus.isAbsent(local) ? local : named
            var loop = Loop(id: id, isPrimary: false, workspace: workspace)
            loop.worktree = path
            loop.prompt = record.prompt ?? ""
            loop.startedAt = record.started ?? 0
            let entry = entries.first { $0.isLoop && $0.session.directory.workspace.isPath(path) }
            loop.session = entry?.session.id
            loop.isElsewhere = isElsewhere
            loop.pid = (isElsewhere ? entry?.liveness.pid : record.pid) ?? 0
            // A loop is in the registry before a look at its session knows of the process.
            loop.isAlive = Self.isAlive(entry, at: path, &probe) || (!isElsewhere && record.livingPID != nil)
            loops[id] = loop
        }
        for entry in entries where entry.isLoop && entry.session.isWorktree(of: workspace) {
            guard let loop = Self.worktreeLoop(entry, workspace), loops[loop.id] == nil else { continue }
            loops[loop.id] = loop
        }
        return loops.values.sorted { ($0.startedAt, $0.id) < ($1.startedAt, $1.id) }
    }

    /// Whether a run, or an agent that one has left behind, works in the worktree of `loop` at this moment, whatever the lists
    /// say.
    func isAtWork(_ loop: Loop) -> Bool {
        var probe = LivenessProbe()
        probe.refresh()
        let places = loop.places
        return places.contains { Self.isAtWork(at: $0, &probe) }
            || catalogue.entries(now: WallClock.milliseconds()).contains { entry in
                (entry.isAtWork || entry.isOrphaned)
                    && places.contains { entry.session.directory.workspace.isPath(inside: $0) }
            }
    }

    /// Whether a run in the worktree of `loop` is paused by its end: it has no process that would tell of it, and is to go on
    /// there.
    func isPaused(_ loop: Loop) -> Bool {
        let places = loop.places
        return catalogue.entries(now: WallClock.milliseconds()).contains { entry in
            entry.isPausedByEnd && places.contains { entry.session.directory.workspace.isPath(inside: $0) }
        }
    }

    /// The id of the primary of `workspace` if that is paused by its end, is to be, or is about to go on from that: whoever has
    /// the lock next removes what it would go on from (contract 1.1).
    func pausedPrimary(of workspace: String) -> String? {
        let directory = SessionDirectory(workspace: workspace)
        guard let entry = catalogue.entry(directory.id), entry.needsLockAgain else { return nil }
        return Self.primaryID(of: directory, entry.session)
    }

    private static func isAtWork(at path: String, _ probe: inout LivenessProbe) -> Bool {
        let directory = SessionDirectory(workspace: path)
        return !EntryStatus.isAbsent(directory.path)
            && probe.liveness(of: DiscoveredSession(directory: directory)).lockHeld
    }

    /// Whether a run works at `path`, which discovery need not reach.
    private static func isAlive(
        _ entry: CatalogueEntry?, at path: String, _ probe: inout LivenessProbe
    ) -> Bool {
        entry?.isAtWork ?? isAtWork(at: path, &probe)
    }

    static func worktree(_ id: String, of workspace: String) -> String {
        "\(workspace == "/" ? "" : workspace)/\(SessionDirectory.worktreesName)/\(id)"
    }

    /// Whether a worktree that `loops.json` names is there and not at `local`: a copied workspace has the entries of the
    /// original, whose loops are not its own. One that may not answer is not looked for.
    ///
    /// - Parameter places: see ``places(_:)``.
    private func isAnother(_ worktree: String, than local: String, _ places: [String]) -> Bool {
        if silent.hold(worktree, besides: places) { return true }
        guard let named = EntryStatus(behindLinks: worktree) else { return false }
        return EntryStatus(behindLinks: local).map { !$0.isSameFile(as: named) } ?? true
    }

    private func primary(
        _ directory: SessionDirectory, _ entries: [CatalogueEntry], _ probe: inout LivenessProbe
    ) -> Loop? {
        let record: LockRecord?
        switch BoundedFile.find(
            directory.lockFile, maximumBytes: LockRecord.maximumFileBytes, isDirect: true)
        {
        // Ralph truncates and rewrites the file: for a moment it says nothing, and is there all the same.
        case .content(let bytes): record = LockRecord.parse(lock: bytes)
        case .unreadable: record = nil
        case .none: return nil
        }
        let entry = entries.first { $0.session.id == directory.id }
        // A worktree's loop is one of the main workspace's; a lock file there may have come with the checkout.
        if let entry, entry.session.worktreeOf != nil, !entry.session.takesLock, !entry.liveness.isLockOwn {
            return nil
        }
        let id = Self.primaryID(of: directory, entry?.session)
        var loop = Loop(id: id, isPrimary: true, workspace: directory.workspace)
        loop.prompt = record?.prompt ?? entry?.state.prompt ?? ""
        loop.pid = entry?.liveness.pid ?? record?.pid ?? 0
        loop.startedAt = record?.started ?? entry?.state.runStartedAt ?? 0
        loop.isAlive = Self.isAlive(entry, at: directory.workspace, &probe)
        loop.session = entry?.session.id
        return loop
    }

    /// The id of a workspace's primary loop, which every fresh run makes anew, a moment before `session` has it; `primary`:
    /// there is none.
    static func primaryID(of directory: SessionDirectory, _ session: DiscoveredSession?) -> String {
        var own: String?
        if case .content(let bytes) = BoundedFile.find(
            directory.currentLoopID, maximumBytes: 4096, isDirect: true)
        {
            own = SessionDirectory.trimmed(String(decoding: bytes, as: UTF8.self))
        }
        return [own, session?.loopID].compactMap(\.self).first(where: Loop.isID) ?? "primary"
    }

    /// A worktree that is there without an entry in `loops.json`: its loop has ended.
    private static func worktreeLoop(_ entry: CatalogueEntry, _ workspace: String) -> Loop? {
        let path = entry.session.directory.workspace
        guard let id = path.split(separator: "/").last.map(String.init), Loop.isID(id) else { return nil }
        var loop = Loop(id: id, isPrimary: false, workspace: workspace)
        loop.worktree = path
        loop.prompt = entry.state.prompt ?? entry.liveness.prompt ?? ""
        loop.pid = entry.liveness.pid ?? 0
        loop.startedAt = entry.startedAt ?? 0
        loop.isAlive = entry.isAtWork
        loop.session = entry.session.id
        return loop
    }
}

extension Loop {
    /// Where its worktree may be; an entry of `loops.json` may name its workspace only, where the primary works.
    var places: [String] {
        [worktree, worktree?.canonicalPath, LoopReader.worktree(id, of: workspace)].compactMap(\.self)
            .filter { !$0.isEmpty && !$0.isPath(workspace) }
    }
}

extension CatalogueEntry {
    /// Whether it may be the session of a loop: what else lies in a worktree is none.
    fileprivate var isLoop: Bool { session.directory.layout == .ralph && !isGone }

    /// Whether a run holds the session's lock, or one that we started is not over.
    fileprivate var isAtWork: Bool { liveness.lockHeld || control?.isActive == true }

    /// Whether a resume would continue the session's run in a process of its own.
    fileprivate var isPausedByEnd: Bool { control?.isHalted == true && !isGone }

    /// Whether whoever has the session's lock next takes the place of a run that can go on.
    fileprivate var needsLockAgain: Bool { control?.needsLockAgain == true && !isGone }
}
