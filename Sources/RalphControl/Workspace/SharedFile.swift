import Foundation
import RalphSessions

/// A file that Ralph writes too, under the lock that Ralph takes, and through links: those of a worktree lead to
/// the main workspace's files (contract 1.2), are followed and stay. One that leads to anything else than such a file
/// is refused: whoever may use the one may not use the other.
///
/// A change is a new file that takes the old one's place, not a rewriting: Ralph's readers and writers open by
/// name once they have the lock, so they see the one or the other, and so does who reads without a lock. A crash
/// or a full disk leaves the old content.
struct SharedFile {
    /// A directory that is open, and a name in it.
    struct Spot {
        let directory: DirectoryHandle
        let name: String
        var path: String { directory.path + "/" + name }
    }

    /// Links that are followed one after the other; more are a circle.
    private static let maximumLinks = 8

    let place: WorkspacePlace
    /// Absolute, in the workspace.
    let path: String
    /// A larger file is neither read nor written.
    let maximumBytes: Int

    /// What it holds; `nil`: somebody else has the lock.
    func read() throws(WorkspaceError) -> FileContent? {
        do throws(ControlError) {
            guard let spots = try spots(creating: false), let last = spots.last,
                last.directory.holds(last.name)
            else { return .missing }
            guard let locks = try locks(.shared, spots) else { return nil }
            defer { withExtendedLifetime(locks) {} }
            if let found = try content(of: last) { return found.content }
        } catch {
            throw WorkspaceError(reading: error)
        }
        throw .tooLarge(path: path, limit: maximumBytes)
    }

    /// ``read()`` for a file that nobody locks.
    func readUnlocked() throws(WorkspaceError) -> FileContent? {
        do throws(ControlError) {
            guard let last = try spots(creating: false)?.last else { return .missing }
            if let found = try content(of: last) { return found.content }
        } catch {
            throw WorkspaceError(reading: error)
        }
        throw .tooLarge(path: path, limit: maximumBytes)
    }

    /// Puts in its place what `body` makes of it; `nil`: somebody else has the lock, or wrote without it meanwhile, and
    /// nothing was done.
    ///
    /// - Parameters:
    ///   - creating: whether its directory is made where that is missing.
    ///   - body: gives no bytes where nothing is to be written.
    /// - Returns: what `body` gave beside, and when the file was changed, as in ``FileContent/modified``.
    func change<Value>(
        creating: Bool = true,
        _ body: (FileContent) throws(WorkspaceError) -> (bytes: [UInt8]?, value: Value)
    ) throws(WorkspaceError) -> (value: Value, modified: Int64?)? {
        guard !place.isReadOnly else { throw .readOnly }
        let spots = try writing { () throws(ControlError) in try self.spots(creating: creating) ?? [] }
        guard let last = spots.last else { throw .unwritable(path: path, reason: "its directory is gone") }
        guard let locks = try writing({ () throws(ControlError) in try self.locks(.exclusive, spots) }) else {
            return nil
        }
        defer { withExtendedLifetime(locks) {} }
        let found = try writing { () throws(ControlError) in try self.content(of: last) }
        guard let (content, status) = found else { throw .tooLarge(path: path, limit: maximumBytes) }
        let (bytes, value) = try body(content)
        guard let bytes else { return (value, content.modified) }
        guard bytes.count <= maximumBytes else { throw .tooLarge(path: path, limit: maximumBytes) }
        return try writing { () throws(ControlError) in
            do throws(ControlError) {
                return (value, try last.directory.replaceDurably(last.name, status, with: bytes))
            } catch ControlError.superseded {
                return nil
            }
        }
    }

    // MARK: Where

    /// The file's place and, behind it, those that links lead on to; the last one holds the content.
    ///
    /// - Parameter creating: whether directories are made; without it `nil`: one is missing.
    func spots(creating: Bool) throws(ControlError) -> [Spot]? {
        var path = path
        var found: [Spot] = []
        for _ in 0..<Self.maximumLinks {
            let (parent, name) = Self.split(path)
            guard !name.isEmpty, name != ".", name != ".." else { throw .unsafePath(path) }
            guard let directory = try open(parent, creating: creating) else { return nil }
            found.append(Spot(directory: directory, name: name))
            guard let target = directory.linkTarget(name) else {
                guard isAllowed(found[found.count - 1], isLinked: found.count > 1) else { break }
                return found
            }
            let real = DirectPath.path(of: directory.descriptor) ?? parent
            path = target.hasPrefix("/") ? target : real + "/" + target
        }
        throw .unsafePath(self.path)
    }

    /// Whether `spot` may be used: no secret, and behind a link a file of the same name, or from a YAML file another one
    /// that is not hidden.
    private func isAllowed(_ spot: Spot, isLinked: Bool) -> Bool {
        let name = Self.split(path).name
        let real =
            (DirectPath.path(of: spot.directory.descriptor) ?? spot.directory.path) + "/" + spot.name
        if real.isSecret(among: place.secrets) { return false }
        if !isLinked || spot.name.utf8.elementsEqual(name.utf8) { return true }
        guard Self.isYAML(name), Self.isYAML(spot.name) else { return false }
        return place.roots.contains { root in
            real.path(below: root).map { !$0.hasPrefix(".") && !$0.contains("/.") } ?? false
        }
    }

    private static func isYAML(_ name: String) -> Bool { name.hasSuffix(".yml") || name.hasSuffix(".yaml") }

    private func open(_ path: String, creating: Bool) throws(ControlError) -> DirectoryHandle? {
        var status = stat()
        if stat(path, &status) == 0 || errno != ENOENT {
            return try DirectoryHandle(path, inside: place.roots)
        }
        guard creating else { return nil }
        let (parent, name) = Self.split(path)
        // A name that is there leads nowhere: a link whose end is missing.
        guard !name.isEmpty, name != ".", name != "..", lstat(path, &status) != 0 else {
            throw .unsafePath(path)
        }
        guard let above = try open(parent, creating: true) else { return nil }
        let made = try above.subdirectory(name)
        above.share(made.descriptor, isDirectory: true)
        return made
    }

    private static func split(_ path: String) -> (parent: String, name: String) {
        path.pathParts ?? ("", path)
    }

    // MARK: Parts

    /// The locks of all places, since Ralph takes that beside the name it knows; `nil`: one is held.
    private func locks(_ kind: SideFileLock.Kind, _ spots: [Spot]) throws(ControlError) -> [SideFileLock]? {
        var locks: [SideFileLock] = []
        for spot in spots {
            guard let lock = try SideFileLock.take(kind, of: spot, canCreate: !place.isReadOnly) else {
                return nil
            }
            locks.append(lock)
        }
        return locks
    }

    /// What it holds, and what it was before that was read, if it was there; `nil`: it is too large.
    private func content(of spot: Spot) throws(ControlError) -> (content: FileContent, status: stat?)? {
        guard spot.directory.holds(spot.name) else { return (.missing, nil) }
        let file = try spot.directory.openFile(spot.name, O_RDONLY)
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { throw ControlError(errno: errno, path: spot.path) }
        guard status.st_size <= off_t(maximumBytes) else { return nil }
        guard let bytes = BoundedFile.content(file, maximumBytes: Int(status.st_size)) else {
            throw ControlError(errno: errno, path: spot.path)
        }
        return (FileContent(bytes: bytes, modified: DirectoryHandle.modified(status)), status)
    }

    private func writing<Value>(
        _ body: () throws(ControlError) -> Value
    ) throws(WorkspaceError) -> Value {
        do throws(ControlError) { return try body() } catch { throw WorkspaceError(writing: error) }
    }
}
