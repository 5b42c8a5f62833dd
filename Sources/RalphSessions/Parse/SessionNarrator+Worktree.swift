import RalphWire

/// Output of loops that were started in a workspace and work in a worktree of it.
///
/// A run that finds the lock held is moved to `.worktrees/` by Ralph (contract 5.1), and what it prints still goes where its
/// caller sends it: mostly to a file of the workspace that it was started in. Of the session there it tells nothing.
extension SessionNarrator {
    /// Whether a line is of a run whose `loop_started` names a worktree of this session's workspace. Another workspace may
    /// be this one, under the path that it had before it was moved or copied.
    mutating func isOfWorktree(
        _ line: AgentLine, _ base: UnsafePointer<UInt8>, _ place: LinePlace
    ) -> Bool {
        let isNamed = line.kind == .loopStarted && namesWorktree(base)
        guard isNamed || state.memory.worktreeOutputs != nil else { return false }
        let output = Self.output(place)
        var outputs = state.memory.worktreeOutputs ?? []
        let isNoted = outputs.contains(output)
        // What comes behind its end is of another run again.
        guard line.kind == .loopStarted || isNoted && line.kind == .loopTerminated else { return isNoted }
        outputs.removeAll { $0 == output }
        if isNamed {
            if outputs.count == 16 { outputs.removeFirst() }
            outputs.append(output)
        }
        state.memory.worktreeOutputs = outputs.isEmpty ? nil : outputs
        state.revision += 1
        return isNamed || line.kind == .loopTerminated
    }

    /// Leaves out a line for what came before it: those behind it are of another stretch.
    mutating func drop(_ place: LinePlace, into batch: inout EventBatch) {
        flushText(into: &batch)
        state.memory.agentStretch = place.offset
        state.droppedAgentLines += 1
        state.revision += 1
    }

    private func namesWorktree(_ base: UnsafePointer<UInt8>) -> Bool {
        guard let home, let root = encoder.members.value("workspace_root", base).string(base) else {
            return false
        }
        return root.isPath(inside: home.appendingPath(SessionDirectory.worktreesName))
    }
}
