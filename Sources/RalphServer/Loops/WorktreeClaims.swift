import RalphSessions
import RalphWire
import Synchronization

/// Who is at a worktree: a merge or discard of its loop, or those who start or continue runs there. Never both: a merge and a
/// discard remove it.
final class WorktreeClaims: Sendable {
    private struct State {
        var jobs: [PathKey: Loop] = [:]
        /// How many starts go on in each workspace.
        var starts: [PathKey: Int] = [:]
    }

    private let state = Mutex(State())

    /// Claims the worktree of `loop` for a job; the job looks for runs there afterwards.
    ///
    /// - Throws: ``Problem`` 409 while a run is started there, or another job goes on.
    func beginJob(_ loop: Loop) throws(Problem) {
        let problem: Problem? = state.withLock { state in
            guard state.jobs[Self.key(loop)] == nil else { return .loopBusy(loop.id) }
            guard !state.starts.keys.contains(where: { loop.covers($0.path) }) else {
                return .loopIsRunning(loop.id)
            }
            state.jobs[Self.key(loop)] = loop
            return nil
        }
        if let problem { throw problem }
    }

    func endJob(_ loop: Loop) { state.withLock { $0.jobs[Self.key(loop)] = nil } }

    /// Starts or continues a run in `workspace`, a canonical path.
    ///
    /// - Throws: ``Problem`` 409 while the loop whose worktree it is, or lies in, is merged or discarded.
    func starting<Value>(in workspace: String, _ start: () async throws -> Value) async throws -> Value {
        let key = PathKey(workspace)
        let loop = state.withLock { state in
            let loop = state.jobs.values.first { $0.covers(workspace) }
            if loop == nil { state.starts[key, default: 0] += 1 }
            return loop
        }
        if let loop { throw Problem.loopBusy(loop.id) }
        defer {
            state.withLock { state in
                let count = (state.starts[key] ?? 1) - 1
                state.starts[key] = count == 0 ? nil : count
            }
        }
        if let id = Self.merging(workspace) { throw Problem.loopBusy(id) }
        return try await start()
    }

    /// The loop whose worktree `workspace` is and that somebody else merges, as its queue says.
    private static func merging(_ workspace: String) -> String? {
        guard let (parent, id) = workspace.pathParts, let (main, name) = parent.pathParts,
            name == SessionDirectory.worktreesName
        else { return nil }
        // A queue that cannot be read names no merge, and Ralph goes by it as well.
        let queue = try? MergeQueue.load(SessionDirectory(workspace: main))
        return queue?[id]?.isAtWork == true ? id : nil
    }

    private static func key(_ loop: Loop) -> PathKey { PathKey("\(loop.workspace)\u{0}\(loop.id)") }
}

extension Loop {
    /// Whether `path` is the loop's worktree, or lies in it.
    fileprivate func covers(_ path: String) -> Bool {
        [worktree, worktree?.canonicalPath, LoopReader.worktree(id, of: workspace)].contains { worktree in
            worktree.map { !$0.isPath(workspace) && path.isPath(inside: $0) } == true
        }
    }
}
