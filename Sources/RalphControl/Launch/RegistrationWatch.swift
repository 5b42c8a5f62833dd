import Foundation
import RalphSessions

/// Looks whether a started run has registered itself: takes the lock of its workspace, or is named in
/// `loops.json` (contract 3.1, 5.1). Touches no lock.
struct RegistrationWatch {
    /// What one look found.
    enum Finding {
        case nothing
        /// Somebody else has held the lock for a while.
        case lockIsTaken
        /// The lock is the run's, its first row is not written yet.
        case locked
        case registered(Registration)
    }

    /// How long another holder is borne: upstream's own look at the lock takes it for a moment.
    private static let patience = Duration.seconds(1)
    /// A run's first line of output holds its prompt.
    private static let maximumFirstLineBytes = 4 << 20

    private let run: SpawnedRun
    private let directory: SessionDirectory
    private var probe = LivenessProbe()
    private var otherSince: ContinuousClock.Instant?

    init(_ run: SpawnedRun) {
        self.run = run
        directory = SessionDirectory(workspace: run.plan.workspace)
    }

    /// Whether the run was the last to hold the lock, also when it has ended: the file keeps what it said.
    var hadLock: Bool {
        mutating get { probe.lastHolder(of: directory) == run.process.pid }
    }

    /// Whether a run has written its first row since; whose it is, the lock tells.
    var hasBegun: Bool { EventsMark(directory).isPast(run.before) }

    /// The worktree that the run's first line says it works in (contract 4.8), also when it has ended and is named in
    /// `loops.json` no more.
    var saidWorktree: Registration? {
        guard run.plan.worktree,
            let output = BoundedFile.read(run.output, maximumBytes: Self.maximumFirstLineBytes, isCut: true),
            let line = output.split(separator: 0x0A, maxSplits: 1).first,
            // A program that writes something else has said nothing.
            let said = try? JSONDecoder().decode(LoopStarted.self, from: Data(line)),
            said.type == "loop_started"
        else { return nil }
        return worktree(at: said.workspace_root).map {
            .worktree($0, loopID: ($0.workspace as NSString).lastPathComponent)
        }
    }

    /// What is at `path` if that is a worktree of this workspace; whoever writes files here may name any other place.
    private func worktree(at path: String) -> SessionDirectory? {
        let found = SessionDirectory(workspace: URL(fileURLWithPath: path).resolvingSymlinksInPath().path)
        return found.mainOfWorktree?.workspace.isPath(directory.workspace) == true ? found : nil
    }

    mutating func look(at now: ContinuousClock.Instant) -> Finding {
        probe.refresh()
        let tree = FamilyTree(of: run.process)
        let liveness = probe.liveness(of: DiscoveredSession(directory: directory))
        if liveness.lockHeld, let pid = liveness.pid, tree.contains(pid) {
            return hasBegun ? .registered(.primary(directory)) : .locked
        }
        if run.plan.worktree, let registration = ownLoop(tree) { return .registered(registration) }
        guard liveness.lockHeld else {
            otherSince = nil
            return .nothing
        }
        let since = otherSince ?? now
        otherSince = since
        return since.duration(to: now) >= Self.patience ? .lockIsTaken : .nothing
    }

    private mutating func ownLoop(_ tree: FamilyTree) -> Registration? {
        for loop in probe.worktreeLoops(of: directory) where tree.contains(loop.pid) {
            if let worktree = worktree(at: loop.workspace) { return .worktree(worktree, loopID: loop.id) }
        }
        return nil
    }
}

/// What a run says first on its standard output.
private struct LoopStarted: Decodable {
    let type: String
    let workspace_root: String
}

/// Whether a number is that of a process or of one below it; `/proc` is read only for other numbers.
private final class FamilyTree {
    private let root: ProcessIdentity
    private lazy var tree = ProcessTree()

    init(of root: ProcessIdentity) { self.root = root }

    func contains(_ pid: Int32) -> Bool { pid == root.pid || tree.isFamily(pid, of: root) }
}
