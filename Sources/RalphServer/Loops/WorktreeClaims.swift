import RalphControl
import RalphSessions
import RalphWire
import Synchronization

/// Who is at a worktree: a merge or discard of its loop, or those who start or continue runs there. Never both: a merge and a
/// discard remove it.
final class WorktreeClaims: Sendable {
    private struct Job {
        let id: String
        /// Where the worktree may be.
        let places: [String]
        /// The main workspace of a merge; `nil`: it is none.
        let merged: String?

        func covers(_ path: String) -> Bool { places.contains { path.isPath(inside: $0) } }
    }

    private struct State {
        var jobs: [PathKey: Job] = [:]
        /// How many starts go on in each workspace.
        var starts: [PathKey: Int] = [:]
    }

    private let state = Mutex(State())
    private let threads: FileThreads

    /// - Parameter threads: for reading queues and following links.
    init(threads: FileThreads) { self.threads = threads }

    /// Claims the worktree of `loop` for a job; the job looks for runs there afterwards, and a merge for a paused primary.
    ///
    /// - Throws: ``Problem`` 409 while a run is started there, or another job goes on, and 503 where its file system does not
    ///   answer.
    func beginJob(_ loop: Loop, isMerge: Bool = false) async throws(Problem) {
        let places: [String]
        do {
            places = try await threads.run(at: loop.workspace) { loop.places }
        } catch {
            throw Problem(any: error)
        }
        let job = Job(id: loop.id, places: places, merged: isMerge ? loop.workspace : nil)
        let problem: Problem? = state.withLock { state in
            guard state.jobs[Self.key(loop)] == nil else { return .loopBusy(loop.id) }
            guard !state.starts.keys.contains(where: { job.covers($0.path) }) else {
                return .loopIsRunning(loop.id)
            }
            state.jobs[Self.key(loop)] = job
            return nil
        }
        if let problem { throw problem }
    }

    func endJob(_ loop: Loop) { state.withLock { $0.jobs[Self.key(loop)] = nil } }

    /// Whether a job merges a loop of `workspace`, or looks whether it may.
    func isMerge(in workspace: String) -> Bool {
        state.withLock { state in state.jobs.values.contains { $0.merged?.isPath(workspace) == true } }
    }

    /// Starts or continues a run in `workspace`, a canonical path.
    ///
    /// - Throws: ``Problem`` 409 while the loop whose worktree it is, or lies in, is merged or discarded.
    func starting<Value>(in workspace: String, _ start: () async throws -> Value) async throws -> Value {
        let key = PathKey(workspace)
        let job = state.withLock { state in
            let job = state.jobs.values.first { $0.covers(workspace) }
            if job == nil { state.starts[key, default: 0] += 1 }
            return job
        }
        if let job { throw Problem.loopBusy(job.id) }
        defer {
            state.withLock { state in
                let count = (state.starts[key] ?? 1) - 1
                state.starts[key] = count == 0 ? nil : count
            }
        }
        // Who starts elsewhere waits for no file.
        if workspace.contains("/\(SessionDirectory.worktreesName)/"),
            let id = try await threads.run(at: workspace, { Self.merging(workspace) })
        {
            throw Problem.loopBusy(id)
        }
        return try await start()
    }

    /// The loop in whose worktree `workspace` is and that somebody else merges, as its queue says or a process that waits for
    /// its turn.
    private static func merging(_ workspace: String) -> String? {
        var place = workspace
        while let (parent, id) = place.pathParts, !parent.isPath(place) {
            if let (main, name) = parent.pathParts, name == SessionDirectory.worktreesName,
                isMerging(id, in: main)
            {
                return id
            }
            place = parent
        }
        return nil
    }

    private static func isMerging(_ id: String, in main: String) -> Bool {
        // A queue that cannot be read names no merge, and Ralph goes by it as well.
        let queue = try? MergeQueue.load(SessionDirectory(workspace: main))
        let item = queue?[id]
        if item?.isAtWork == true { return true }
        // One that is over says so before its process is.
        guard item?.state != .merged, item?.state != .discarded else { return false }
        return ProcessTree().isMerging(id, in: main)
    }

    private static func key(_ loop: Loop) -> PathKey { PathKey("\(loop.workspace)\u{0}\(loop.id)") }
}
