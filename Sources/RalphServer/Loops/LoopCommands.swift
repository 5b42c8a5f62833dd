import Foundation
import RalphControl
import RalphSessions
import RalphWire

/// What the loop routes call.
struct LoopCommands: Sendable {
    /// No answer takes longer (http-contract 1.1); a merge goes on behind it.
    static let answerLimit: Duration = .seconds(24)
    /// Ralph writes `loops.json` in place: one that has no list is looked at again for so long.
    private static let rewriteLimit: Duration = .milliseconds(250)

    let reader: LoopReader
    let jobs: LoopJobs
    let commands: SessionCommands

    private var control: ControlService { commands.control }

    // MARK: Reading

    /// The loops of all workspaces; blocks for their files.
    ///
    /// - Throws: ``Problem`` 404 for a workspace that is none.
    func lists(workspace: String?) async throws -> [LoopList] {
        let entries = reader.catalogue.entries(now: WallClock.milliseconds())
        let workspaces = try await workspaces(workspace, entries)
        return try await reader.lists(
            of: workspaces, entries, on: control.threads, within: Self.rewriteLimit)
    }

    private func workspaces(_ path: String?, _ entries: [CatalogueEntry]) async throws -> [String] {
        guard let path else { return reader.workspaces(nil, entries) ?? [] }
        // Where it lies on the disk is asked for one that is named.
        let line = WorkspaceResolver.line(of: path, below: reader.roots, reader.places(entries))
        let found = try await control.threads.run(at: line) { reader.workspaces(path, entries) }
        guard let found else { throw Problem.workspaceNotFound(path) }
        return found
    }

    /// The loop of this id; in one workspace only, if one is named.
    ///
    /// - Throws: ``Problem`` 404, or 500 where it may be in a `loops.json` that cannot be read.
    func loop(_ id: String, workspace: String?) async throws -> Loop {
        let lists = try await lists(workspace: workspace)
        guard let loop = try lists.loop(id) else { throw lists.problem(of: id) }
        return loop
    }

    /// The queues of all workspaces, as far as they can be read.
    ///
    /// - Throws: ``Problem`` 404 for a workspace that is none, 500 or 503 where no queue can be read.
    func mergeQueue(workspace: String?) async throws -> MergeQueueObject {
        let (parts, problems) = try await queues(workspace: workspace, MergeQueueObject.Part.init)
        if parts.isEmpty, let problem = problems.first { throw problem }
        return MergeQueueObject(parts, problems: problems)
    }

    /// What `look` makes of each queue; it may block.
    private func queues<Value: Sendable>(
        workspace: String?, _ look: @escaping @Sendable (_ queue: MergeQueue, _ workspace: String) -> Value
    ) async throws -> (values: [Value], problems: [Problem]) {
        let entries = reader.catalogue.entries(now: WallClock.milliseconds())
        let workspaces = try await workspaces(workspace, entries)
        let results = try await control.threads.map(workspaces) { workspace in
            look(try MergeQueue.load(SessionDirectory(workspace: workspace)), workspace)
        }
        var (values, problems): ([Value], [Problem]) = ([], [])
        for (workspace, result) in zip(workspaces, results) {
            switch result {
            case .success(let value): values.append(value)
            case .failure(let error):
                var problem = Problem(any: error)
                problem.details = SessionDirectory(workspace: workspace).mergeQueue
                problems.append(problem)
            }
        }
        return (values, problems)
    }

    // MARK: Merge and discard

    /// Merges or discards a loop through `ralph loops`, which owns the rules.
    func perform(
        _ action: LoopJobs.Action, _ id: String, workspace: String?, by caller: Caller
    ) async throws -> LoopJobAnswer {
        guard Loop.isID(id) else { throw Problem.loopNotFound(id) }
        let deadline = ContinuousClock.now + Self.answerLimit
        let loop = try await open(action, id, workspace: workspace)
        let main = SessionDirectory(workspace: loop.workspace).id
        return try await control.command("loop_\(action.rawValue)", on: main, by: caller, detail: id) { _ in
            let job = LoopJobs.Job(action: action, loop: loop, requester: control.requester(caller)) {
                _ = try await open(action, id, workspace: loop.workspace)
            }
            let outcome = try await jobs.perform(job, within: max(.zero, deadline - .now))
            control.ingest.requestScan()
            return try LoopJobAnswer(action, id, outcome)
        }
    }

    /// The loop of this id, if it may be merged or discarded.
    private func open(_ action: LoopJobs.Action, _ id: String, workspace: String?) async throws -> Loop {
        let loop = try await known(id, workspace: workspace)
        if loop.isPrimary { throw Problem.primaryLoop(action) }
        if loop.isElsewhere { throw Problem.loopIsElsewhere(action) }
        if loop.isAlive { throw Problem.loopIsRunning(id) }
        try await refuseUnlessOpen(action, loop)
        return loop
    }

    /// The loop of this id, also one that only the merge queue still knows.
    ///
    /// - Throws: ``Problem`` 500 for one of a workspace whose `loops.json` cannot be read: it may work; or for one that may
    ///   be in a queue that cannot be read.
    private func known(_ id: String, workspace: String?) async throws -> Loop {
        let lists = try await lists(workspace: workspace)
        // Of a workspace with a problem it can only be the primary, which is neither merged nor discarded.
        if let loop = try lists.loop(id) { return loop }
        let (all, problems) = try await queues(workspace: workspace) { queue, workspace in
            (hasLoop: queue[id] != nil, workspace: workspace)
        }
        let items = all.filter(\.hasLoop)
        guard let item = items.first else { throw problems.first ?? lists.problem(of: id) }
        guard items.count == 1 else { throw Problem.loopNotFound(id, isAmbiguous: true) }
        if let problem = lists.first(where: { $0.workspace.isPath(item.workspace) })?.problem {
            throw problem
        }
        return Loop(id: id, isPrimary: false, workspace: item.workspace)
    }

    /// Nothing is done to the worktree of a run, also of one that somebody began there and no list names, or that is paused by
    /// its end and goes on there. What is merged or discarded stays so; a merge that another server, or somebody at a terminal,
    /// began is not over either, though it may wait for its turn, and one that was left takes force (contract 5.4). A merge is a
    /// run in the main workspace, and takes the place of none that is paused there.
    private func refuseUnlessOpen(_ action: LoopJobs.Action, _ loop: Loop) async throws {
        let (queue, isAtWork, isPaused, left) = try await control.threads.run(at: loop.workspace) {
            [reader] in
            let queue = try MergeQueue.load(SessionDirectory(workspace: loop.workspace))
            let left = loop.worktree.flatMap(Self.existing)
            return (queue, reader.isAtWork(loop), reader.isPaused(loop), left)
        }
        if isAtWork { throw Problem.loopIsRunning(loop.id) }
        let item = queue[loop.id]
        switch item?.state {
        case .merged: throw Problem.loopIsOver(loop.id, "merged")
        case .discarded:
            throw Problem.loopIsOver(loop.id, "discarded", left: left)
        case .merging where item?.isAtWork == true: throw Problem.loopBusy(loop.id)
        case .merging, .queued, .needsReview, nil: break
        }
        if isPaused { throw Problem.loopIsPaused(loop.id) }
        let (primary, isMerging) = try await control.threads.run(at: loop.workspace) { [reader] in
            let primary = action == .merge ? reader.pausedPrimary(of: loop.workspace) : nil
            return (primary, ProcessTree().isMerging(loop.id, in: loop.workspace))
        }
        if let primary { throw Problem.primaryIsPaused(primary) }
        if isMerging { throw Problem.loopBusy(loop.id) }
        if let item, item.isLeft { throw Problem.loopIsLeft(item, in: loop.workspace) }
        try await refuseUnlessMeant(action, loop, queue)
    }

    /// Ralph takes a part of an id for the whole, and would do it to another loop, whether that works or not.
    private func refuseUnlessMeant(
        _ action: LoopJobs.Action, _ loop: Loop, _ queue: MergeQueue
    ) async throws {
        let registry = try await reader.registry(
            of: SessionDirectory(workspace: loop.workspace), on: control.threads, within: Self.rewriteLimit)
        var names = try LoopNames(registry, queue)
        if queue.hasOtherLines || names.needsWorktrees(for: loop.id, action) {
            names.worktrees = try await RalphWorktree.list(loop.workspace, control.settings)
        }
        // Ralph reads all of the queue or nothing: where it may fail, both has to come to this loop.
        var readings = [names]
        if queue.hasOtherLines {
            readings.append(LoopNames(registered: names.registered, worktrees: names.worktrees))
        }
        let problem = try await control.threads.run(at: loop.workspace) { [readings] in
            readings.lazy.compactMap { $0.problem(with: loop, action) }.first
        }
        if let problem { throw problem }
    }

    private static func existing(_ path: String) -> String? {
        FileManager.default.fileExists(atPath: path) ? path : nil
    }

    // MARK: Start

    /// Starts a loop beside the one that runs in the workspace, in a worktree; where none runs it becomes the
    /// primary (contract 5.1).
    func start(_ request: StartRequest, by caller: Caller) async throws -> LoopStartAnswer {
        let (workspace, branch) = try await control.startThreads.run(at: request.line) {
            [commands] in
            let workspace = try commands.resolver.resolve(request).plan.workspace
            guard Self.isRepository(workspace) else {
                throw Problem.workspaceNotFound("not a git repository")
            }
            return (workspace, Self.branch(workspace))
        }
        var request = request
        request.worktree = true
        let started = try await commands.start(request, by: caller)
        let isPrimary = started.working_dir.isPath(workspace)
        let entry = SessionID(started.id).flatMap { reader.catalogue.entry($0) }
        let name = started.working_dir.split(separator: "/").last.map(String.init) ?? started.id
        return LoopStartAnswer(
            id: isPrimary ? await primaryID(of: workspace, entry?.session) : name,
            worktree_path: started.working_dir, primary: isPrimary, session_id: started.id,
            base_branch: branch)
    }

    /// The id of the primary that was just started. It runs: the answer does not wait for long.
    private func primaryID(of workspace: String, _ session: DiscoveredSession?) async -> String {
        let known = session?.loopID ?? "primary"
        let directory = SessionDirectory(workspace: workspace)
        // Where nothing answers, what is known has to do.
        let id = try? await control.startThreads.run(at: workspace, within: .seconds(1)) {
            LoopReader.primaryID(of: directory, session)
        }
        return id ?? known
    }

    /// Whether `workspace` lies in a git repository, as far as its directories tell (gitrepository-layout(5)).
    private static func isRepository(_ workspace: String) -> Bool {
        var directory = URL(fileURLWithPath: workspace)
        while true {
            if FileManager.default.fileExists(atPath: directory.path + "/.git") { return true }
            if directory.path == "/" || directory.path.isEmpty { return false }
            directory.deleteLastPathComponent()
        }
    }

    /// The branch that is checked out; `nil`: none, or the repository is laid out in another way.
    private static func branch(_ workspace: String) -> String? {
        let prefix = "ref: refs/heads/"
        guard let bytes = BoundedFile.read(workspace + "/.git/HEAD", maximumBytes: 4096) else { return nil }
        let text = SessionDirectory.trimmed(String(decoding: bytes, as: UTF8.self))
        return text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : nil
    }
}
