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
    }

    private struct Listed {
        var status: EntryStatus
        var readAt: Int64
        var listing: DirectoryListing
    }

    let settings: DiscoverySettings
    var loopIDs = FileCache<String>.lines()
    var pointers = FileCache<String>.lines()
    private var listings: [String: Listed] = [:]
    private var visited: [String: Listed] = [:]

    init(settings: DiscoverySettings) { self.settings = settings }

    /// Walks over all roots.
    mutating func scan() -> ScanResult {
        var result = ScanResult()
        visited = [:]
        visited.reserveCapacity(listings.count)
        let roots = canonicalRoots(&result)
        for root in roots { walk(root, into: &result) }
        for workspace in knownWorkspaces(below: roots) {
            // As the deepest level of a walk: itself, and none of its directories.
            walk(workspace, depth: settings.depth, into: &result)
        }
        listings = visited
        visited = [:]
        loopIDs.sweep()
        pointers.sweep()
        return result
    }

    /// The roots without those that do not exist; shorter ones first, so that overlapping roots are walked
    /// from the outermost.
    private func canonicalRoots(_ result: inout ScanResult) -> [String] {
        var roots: Set<String> = []
        for root in settings.roots {
            guard let resolved = realpath(root, nil) else {
                result.note(unreadable: root, SystemCode(errno).description)
                result.missingRoots += 1
                continue
            }
            defer { free(resolved) }
            guard let path = String(validatingCString: resolved) else {
                result.note(unreadable: root, "The path is not UTF-8.")
                continue
            }
            roots.insert(path)
        }
        result.roots = roots.sorted()
        return result.roots.sorted { ($0.utf8.count, $0) < ($1.utf8.count, $1) }
    }

    /// The workspaces of ``DiscoverySettings/workspaces`` that are there, without links, below a root.
    private func knownWorkspaces(below roots: [String]) -> [String] {
        var workspaces: Set<String> = []
        for workspace in settings.workspaces() {
            guard let resolved = realpath(workspace, nil) else { continue }
            defer { free(resolved) }
            guard let path = String(validatingCString: resolved),
                roots.contains(where: { path.hasPrefix($0 == "/" ? "/" : $0 + "/") })
            else { continue }
            workspaces.insert(path)
        }
        return workspaces.sorted()
    }

    private mutating func walk(_ root: String, depth: Int = 0, into result: inout ScanResult) {
        // What an outer root has reached is reached again here: an inner root goes deeper.
        var seen = Set(result.sessions.map(\.facts.directory.path))
        var stack = [Pending(path: root, depth: depth)]
        while let next = stack.popLast() {
            guard visited.count < settings.maximumDirectories else {
                result.isTruncated = true
                return
            }
            let role: ScanResult.Role = next.depth < settings.depth ? .tree : .leaf
            guard let listing = list(next.path, role, into: &result) else { continue }
            let workspace = WorkspaceLook(path: next.path, listing: listing)
            for session in sessions(of: workspace, into: &result)
            where seen.insert(session.facts.directory.path).inserted {
                guard result.sessions.count < settings.maximumSessions else {
                    result.isTruncated = true
                    return
                }
                result.sessions.append(session)
            }
            guard next.depth < settings.depth else { continue }
            for name in listing.directories.reversed() where !settings.isExcluded(name) {
                stack.append(Pending(path: Self.join(next.path, name), depth: next.depth + 1))
            }
        }
    }

    /// The listing of `path`; `nil`, and noted if that says something, when it cannot be read.
    mutating func list(_ path: String, _ role: ScanResult.Role, into result: inout ScanResult)
        -> DirectoryListing?
    {
        let known = visited[path]
        guard let entry = known ?? entry(of: path, into: &result) else { return nil }
        if known == nil {
            visited[path] = entry
            result.skippedLinks += entry.listing.links
            for _ in 0..<entry.listing.unnameable {
                result.note(unreadable: path, "A directory in here has a name that is not UTF-8.")
            }
            result.directories.append(
                ScanResult.Directory(path: path, role: role, identity: entry.status.identity))
        }
        return entry.listing
    }

    private func entry(of path: String, into result: inout ScanResult) -> Listed? {
        // The status is taken first: a change after it makes the next scan list again.
        guard let status = EntryStatus(at: path) else {
            let code = SystemCode(errno)
            if !code.isAbsence { result.note(unreadable: path, code.description) }
            return nil
        }
        if let old = listings[path], old.status == status, status.vouches(forReadAt: old.readAt) {
            return old
        }
        let now = EntryStatus.now()
        do {
            return Listed(status: status, readAt: now, listing: try DirectoryListing.read(path))
        } catch {
            if !error.isAbsence { result.note(unreadable: path, error.description) }
            return nil
        }
    }

    /// The numbers of a directory that this scan has listed.
    func identity(of path: String) -> FileIdentity { visited[path]?.status.identity ?? .none }

    /// The path of `name` in the directory `path`.
    static func join(_ path: String, _ name: String) -> String {
        path == "/" ? "/" + name : path + "/" + name
    }
}

/// One directory while its sessions are looked for.
struct WorkspaceLook {
    var path: String
    var listing: DirectoryListing
    /// Set below `.worktrees/`: the workspace that it belongs to.
    var main: MainWorkspace?

    /// What must be known of a main workspace to tell the copies in its worktrees.
    struct MainWorkspace {
        var path: String
        var loopID: String?
        var eventsFiles: Set<String>
        var hasAgentOutput: Bool
    }
}
