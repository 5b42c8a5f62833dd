import Foundation
import RalphControl
import RalphSessions
import RalphWire

/// Answers what a run has changed, by asking git; the repository is believed nothing and never written.
struct WorkspaceDiff: Sendable {
    /// Answers made at once; further ones wait.
    static let places = 2
    /// How long all of git's work for one answer may take.
    static let patience: Duration = .seconds(10)
    /// Files in one answer; the rest is left out.
    static let maximumFiles = 2000
    /// UTF-8 bytes of a patch.
    static let maximumPatchBytes = 512 << 10
    /// Untracked files that are counted and shown in patches.
    static let maximumNewFiles = 500
    /// How often they are handed to git, less those that are gone.
    private static let triesOfAdding = 8
    /// What Ralph and this server keep in a workspace changes all the time and is not the run's work.
    private static let ownFolders = [
        SessionDirectory.ralphName, SessionDirectory.agentName, SessionDirectory.worktreesName,
    ].map { Array(($0 + "/").utf8) }

    let settings: ControlSettings
    /// Canonical.
    let roots: [String]
    /// Canonical paths of what is never shown, wherever it lies now. Blocks.
    let secrets: @Sendable () -> [String]
    /// Where the shelters are made, each in a directory of its own: one may still be made for a repository that did not answer.
    let directory: String
    let turns: WorkTurns
    let threads: FileThreads

    /// - Throws: ``Problem`` 409 for a repository that git cannot read, 503 without git, when git is too slow,
    ///   and when too many ask.
    func read(_ entry: CatalogueEntry, _ query: DiffQuery) async throws -> DiffObject {
        try await turns.run {
            do throws(GitError) {
                return try await answer(entry, query, shelterPath: "\(directory)/\(UUID().uuidString)")
            } catch {
                throw Problem(error)
            }
        }
    }

    private func answer(
        _ entry: CatalogueEntry, _ query: DiffQuery, shelterPath: String
    ) async throws(GitError) -> DiffObject {
        let workspace = entry.session.directory.workspace
        guard let place = try await place(of: workspace) else { return DiffObject() }
        let secrets = try await onThread(workspace, secrets)
        let isSecret = place.checkouts.contains { secrets.contains(where: $0.isPath(inside:)) }
        guard !isSecret else { return DiffObject() }
        let git = try GitReader(settings, hiding: secrets, until: .now + Self.patience)
        let head = try await git.head(of: place)
        let ignoreFile = try await git.ignoreFile()
        let shelter = try await makeShelter(at: shelterPath, of: place, head: head, ignoreFile: ignoreFile)
        let result: Result<DiffObject, GitError>
        do throws(GitError) {
            result = .success(try await look(entry, query, git, shelter))
        } catch {
            result = .failure(error)
        }
        // What is left the next server takes away.
        try? await onThread(directory) { shelter.remove() }
        return try result.get()
    }

    private func look(
        _ entry: CatalogueEntry, _ query: DiffQuery, _ git: GitReader, _ shelter: GitShelter
    ) async throws(GitError) -> DiffObject {
        try await git.checkIndex(of: shelter)
        var object = DiffObject()
        object.repository = true
        object.branch = shelter.head.branch
        object.head = shelter.head.commit
        (object.base, object.baseKind) = try await base(entry, git, shelter)
        let base = object.base ?? shelter.head.nothing
        let status = try await git.status(query.path, in: shelter)
        var entries = GitStatusEntry.read(status.output)
        let hasAllNewFiles = try await addNewFiles(&entries, git, shelter)
        let changes = try await git.changes(since: base, query.path, in: shelter)
        let files = ChangedFile.merge(
            GitChange.read(changes.output), entries, prefix: shelter.place.prefix)
        object.files = Array(files.prefix(Self.maximumFiles))
        object.truncated = files.count > Self.maximumFiles || status.isCut || changes.isCut
        guard query.wantsPatch else { return object }
        let patch = try await git.patch(
            since: base, query.path, maximumBytes: Self.maximumPatchBytes, in: shelter)
        object.isPatchCut = patch.isCut || status.isCut || !hasAllNewFiles
        object.patch = String(
            decoding: patch.isCut ? PatchText.cut(patch.output) : patch.output[...], as: UTF8.self)
        return object
    }

    /// Leaves nothing behind where it cannot be made, or comes when nobody waits for it any more.
    private func makeShelter(
        at path: String, of place: GitPlace, head: GitHead, ignoreFile: String?
    ) async throws(GitError) -> GitShelter {
        /// Whether somebody waits for it; both sides say so, and the first counts.
        let isKept = Landing<Bool>()
        do {
            return try await onThread(place.top) { () throws(GitError) in
                do throws(GitError) {
                    let shelter = try GitShelter(at: path, of: place, head: head, ignoreFile: ignoreFile)
                    if !isKept.settle(true) { shelter.remove() }
                    return shelter
                } catch {
                    GitShelter.remove(path)
                    throw error
                }
            }
        } catch {
            if !isKept.settle(false) {
                // What is left the next server takes away.
                try? await onThread(directory) { GitShelter.remove(path) }
            }
            throw error
        }
    }

    /// What the files are compared with.
    private func base(
        _ entry: CatalogueEntry, _ git: GitReader, _ shelter: GitShelter
    ) async throws(GitError) -> (String?, DiffObject.BaseKind) {
        guard let head = shelter.head.commit else { return (nil, .empty) }
        if shelter.place.directory != shelter.place.common, entry.session.worktreeOf != nil,
            let main = try await git.mainCommit(of: shelter.place),
            let parting = try await git.mergeBase(with: main, in: shelter)
        {
            return (parting, .mergeBase)
        }
        guard let started = entry.runStart else { return (head, .head) }
        if let commit = try await git.commit(notAfter: started / 1000, in: shelter) {
            return (commit, .runStart)
        }
        return shelter.isShallow ? (head, .head) : (nil, .empty)
    }

    /// Has the first ones of the untracked files counted and shown in the patch.
    ///
    /// - Parameter entries: lose those that are gone meanwhile.
    /// - Returns: whether these are all.
    private func addNewFiles(
        _ entries: inout [GitStatusEntry], _ git: GitReader, _ shelter: GitShelter
    ) async throws(GitError) -> Bool {
        let prefix = Array(shelter.place.prefix.utf8)
        let paths = entries.filter(\.isUntracked).map(\.path).filter { path in
            // A directory is a repository of its own.
            path.last != UInt8(ascii: "/")
                && !Self.ownFolders.contains { path.dropFirst(prefix.count).starts(with: $0) }
        }
        var new = Array(paths.prefix(Self.maximumNewFiles))
        // One file that is gone keeps git from adding any, and a run at work takes some away.
        for _ in 0..<Self.triesOfAdding where !new.isEmpty {
            let listed = new
            let list = try await onThread(directory) { () throws(GitError) in
                try shelter.writePathList(listed)
            }
            if try await git.add(listedIn: list, in: shelter) { return paths.count <= Self.maximumNewFiles }
            let there = try await onThread(shelter.place.top) {
                listed.filter { Self.isThere($0, below: shelter.place.top) }
            }
            let gone = Set(listed).subtracting(there)
            entries.removeAll { $0.isUntracked && gone.contains($0.path) }
            new = there
        }
        return new.isEmpty && paths.count <= Self.maximumNewFiles
    }

    private static func isThere(_ path: [UInt8], below top: String) -> Bool {
        var status = stat()
        let bytes = Array(top.utf8) + [UInt8(ascii: "/")] + path + [0]
        return lstat(bytes.map(CChar.init(bitPattern:)), &status) == 0
    }

    /// The repository of a workspace, if it is in one.
    private func place(of workspace: String) async throws(GitError) -> GitPlace? {
        try await onThread(workspace) { [roots] () throws(GitError) in
            do throws(UnreadableFile) {
                return try GitPlace(workspace: workspace, roots: roots)
            } catch {
                throw .unreadable(error)
            }
        }
    }

    private func onThread<Value: Sendable>(
        _ place: String, _ work: @escaping @Sendable () throws(GitError) -> Value
    ) async throws(GitError) -> Value {
        do {
            return try await threads.run(at: place) { () throws in try work() }
        } catch let error as GitError {
            throw error
        } catch {
            throw .unavailable(Problem(any: error).details ?? "")
        }
    }
}
