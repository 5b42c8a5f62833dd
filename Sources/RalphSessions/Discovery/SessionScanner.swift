import Foundation
import RalphWire

/// Finds every session below the roots (design 3.1).
///
/// Walks directories and never follows a link except a root itself, so that no loop can be entered. Listings
/// are kept as long as the directory's status vouches for them: a scan in which nothing is new costs one or
/// two `lstat` per directory. Nothing that lies on disk makes it fail.
struct SessionScanner {
    /// A directory that is still to be looked at.
    private struct Pending {
        var path: String
        var depth: Int
        /// Whether a walk begins there, as at a root or a workspace that is known: of these there are no more than somebody
        /// has named as roots, or has started runs in.
        var isStart = false
    }

    /// A walk over all roots that is not over.
    private struct Walk {
        var result = ScanResult()
        /// Where it is still to begin anew, the next one last.
        var starts: [Pending] = []
        var stack: [Pending] = []
        /// What an outer root has reached is reached again from an inner one, which goes deeper.
        var seen: Set<PathKey> = []

        /// Goes on with the next start; `false` if there is none.
        mutating func beginNext() -> Bool {
            guard let start = starts.popLast() else { return false }
            stack = [start]
            return true
        }
    }

    private struct Listed {
        var status: EntryStatus
        var readAt: Int64
        var listing: DirectoryListing
        /// Its place in ``ScanResult/directories``.
        var index = 0
    }

    let settings: DiscoverySettings
    var loopIDs = FileCache<String>.lines()
    var pointers = FileCache<String>.lines()
    var lockRecords = FileCache(maximumBytes: LockRecord.maximumFileBytes, parse: LockRecord.parse(lock:))
    var checkoutCopies = CheckoutCopies()
    private var listings: [PathKey: Listed] = [:]
    private var visited: [PathKey: Listed] = [:]
    private var walk: Walk?

    init(settings: DiscoverySettings) { self.settings = settings }

    /// Whether a walk was begun and is not over.
    var isWalking: Bool { walk != nil }

    /// Walks over all roots; a walk that was begun is given up.
    mutating func scan() -> ScanResult {
        walk = nil
        return advance(directories: .max) ?? ScanResult()
    }

    /// Goes on with a walk over all roots, or begins one.
    ///
    /// - Parameter limit: how many directories of trees are looked at, each with the layouts that it holds.
    /// - Returns: what was found once all roots are walked; `nil` before.
    mutating func advance(directories limit: Int) -> ScanResult? {
        var walk = walk ?? begin()
        self.walk = nil
        var left = limit
        while left > 0 {
            guard let next = walk.stack.popLast() else {
                guard walk.beginNext() else { return end(walk) }
                continue
            }
            left -= 1
            guard visit(next, &walk) else {
                walk.stack = []
                continue
            }
        }
        self.walk = walk
        return nil
    }

    private mutating func begin() -> Walk {
        visited = [:]
        visited.reserveCapacity(listings.count)
        var walk = Walk()
        let roots = canonicalRoots(&walk.result)
        // A known workspace is walked as the deepest level: itself, and none of its directories.
        walk.starts =
            roots.map { Pending(path: $0, depth: 0, isStart: true) }
            + knownWorkspaces(below: roots, &walk.result).map {
                Pending(path: $0, depth: settings.depth, isStart: true)
            }
        // The next one last: a main workspace before its worktrees, whatever each is.
        walk.starts.sort { ($1.path.utf8.count, $1.path) < ($0.path.utf8.count, $0.path) }
        return walk
    }

    private mutating func end(_ walk: Walk) -> ScanResult {
        listings = visited
        visited = [:]
        loopIDs.sweep()
        pointers.sweep()
        lockRecords.sweep()
        checkoutCopies.sweep()
        return walk.result
    }

    /// The roots without those that do not exist; shorter ones first, so that overlapping roots are walked
    /// from the outermost.
    private func canonicalRoots(_ result: inout ScanResult) -> [String] {
        var roots: Set<PathKey> = []
        for root in settings.roots {
            do throws(SystemCode) {
                roots.insert(PathKey(try root.resolvedPath()))
            } catch {
                result.note(unreadable: root, error.description, isRoot: true)
                result.missingRoots += 1
            }
        }
        result.roots = roots.map(\.path).sorted()
        return result.roots.sorted { ($0.utf8.count, $0) < ($1.utf8.count, $1) }
    }

    /// The workspaces of ``DiscoverySettings/workspaces`` that are there, without links, below a root; of a worktree its
    /// main one as well, without which nobody can tell what in it is a copy (contract 1.2). What lies below no root is not
    /// asked for at all: its file system may not answer. One of which nobody can tell whether it is there is noted.
    private func knownWorkspaces(below roots: [String], _ result: inout ScanResult) -> [String] {
        var workspaces: Set<PathKey> = []
        for workspace in settings.workspaces() {
            guard let asked = roots.first(where: workspace.isPath(inside:)) else { continue }
            do throws(SystemCode) {
                let path = try workspace.resolvedPath()
                guard let root = roots.first(where: path.isPath(inside:)) else { continue }
                let start = Self.outermost(path, below: root)
                for found in [start, path] where !roots.contains(where: found.isPath(_:)) {
                    workspaces.insert(PathKey(found))
                }
            } catch {
                guard !error.meansNoFile else { continue }
                result.note(unreadable: Self.obstructed(workspace, below: asked), error.description)
            }
        }
        return workspaces.map(\.path).sorted()
    }

    /// The main workspace of the worktree at `path`, of that one if it is a worktree itself, and so on, below `root`; `path`
    /// if it is none.
    private static func outermost(_ path: String, below root: String) -> String {
        var path = path
        while let main = SessionDirectory.mainWorkspace(ofWorktree: path), main.isPath(inside: root) {
            path = main
        }
        return path
    }

    /// The workspace at `path`, which cannot be looked at, or the outermost of its main ones below `root` that cannot either:
    /// that may be known through it alone.
    private static func obstructed(_ path: String, below root: String) -> String {
        var (found, next) = (path, path)
        while let main = SessionDirectory.mainWorkspace(ofWorktree: next), main.isPath(inside: root) {
            next = main
            do throws(SystemCode) {
                _ = try main.resolvedPath()
            } catch {
                found = main
            }
        }
        return found
    }

    /// Looks at one directory; `false` if no more may be looked at from this start.
    ///
    /// Where a walk begins is looked at behind every limit, and the session that Ralph keeps there is one: what a run was
    /// started in is never lost among many others.
    private mutating func visit(_ next: Pending, _ walk: inout Walk) -> Bool {
        guard next.isStart || visited.count < settings.maximumDirectories else {
            walk.result.isTruncated = true
            return false
        }
        let role: ScanResult.Role = next.depth < settings.depth ? .tree : .leaf
        guard let listing = list(next.path, role, into: &walk.result) else { return true }
        // Worktrees are not entered from their main workspace, and may be roots, lie in one or be known.
        let workspace = WorkspaceLook(
            path: next.path, listing: listing, main: main(of: next.path, into: &walk.result))
        for session in sessions(of: workspace, into: &walk.result) {
            let directory = session.facts.directory
            guard !walk.seen.contains(PathKey(directory.path)) else { continue }
            let isOwn = directory.layout == .ralph && directory.workspace.isPath(next.path)
            guard next.isStart && isOwn || walk.result.sessions.count < settings.maximumSessions else {
                walk.result.isTruncated = true
                return false
            }
            walk.seen.insert(PathKey(directory.path))
            walk.result.sessions.append(session)
        }
        guard next.depth < settings.depth else { return true }
        for name in listing.directories.reversed() where !settings.isExcluded(name) {
            walk.stack.append(Pending(path: next.path.appendingPath(name), depth: next.depth + 1))
        }
        return true
    }

    /// The listing of `path`; `nil`, and noted if that says something, when it cannot be read.
    mutating func list(_ path: String, _ role: ScanResult.Role, into result: inout ScanResult)
        -> DirectoryListing?
    {
        if let known = visited[PathKey(path)] {
            // An inner root is a tree where the outer one had its deepest level.
            result.directories[known.index].role = max(role, result.directories[known.index].role)
            return known.listing
        }
        guard var entry = entry(of: path, into: &result) else { return nil }
        entry.index = result.directories.count
        visited[PathKey(path)] = entry
        result.skippedLinks += entry.listing.links
        for _ in 0..<entry.listing.unnameable {
            // No session can be named that lies there.
            result.note(
                unreadable: path, "A directory in here has a name that is not UTF-8.", hides: false)
        }
        result.directories.append(
            ScanResult.Directory(path: path, role: role, identity: entry.status.identity))
        return entry.listing
    }

    private func entry(of path: String, into result: inout ScanResult) -> Listed? {
        // The status is taken first: a change after it makes the next scan list again.
        guard let status = EntryStatus(at: path) else {
            let code = SystemCode(errno)
            if !code.isAbsence { result.note(unreadable: path, code.description) }
            return nil
        }
        if let old = listings[PathKey(path)], old.status == status, status.vouches(forReadAt: old.readAt) {
            return old
        }
        let now = EntryStatus.now()
        do {
            return Listed(
                status: status, readAt: now,
                listing: try DirectoryListing.read(path, without: settings.excludes))
        } catch {
            if !error.isAbsence { result.note(unreadable: path, error.description) }
            return nil
        }
    }

    /// Whether this scan has listed the directory at `path`.
    func hasListed(_ path: String) -> Bool { visited[PathKey(path)] != nil }

    /// The numbers of a directory that this scan has listed.
    func identity(of path: String) -> FileIdentity { visited[PathKey(path)]?.status.identity ?? .none }
}

/// One directory while its sessions are looked for.
struct WorkspaceLook {
    var path: String
    var listing: DirectoryListing
    /// Set below `.worktrees/`: the workspace that it belongs to.
    var main: MainWorkspace?
    /// In how many worktrees it lies, one in the other.
    var level: Int { main.map { $0.level + 1 } ?? 0 }

    /// What must be known of a main workspace to tell the copies in its worktrees.
    struct MainWorkspace {
        var path: String
        /// See ``WorkspaceLook/level``.
        var level: Int
        var listing: DirectoryListing
        /// Which directories it and those are that it lies in.
        var places: [FileIdentity]
        var loopID: String?
        var eventsFiles: Set<String>
        /// It has a `.ralph/` that cannot be listed now, so that nobody knows what is copied from there.
        var isUnreadable: Bool

        var hasAgentOutput: Bool { listing.has(file: SessionDirectory.agentOutputName) }
    }
}
