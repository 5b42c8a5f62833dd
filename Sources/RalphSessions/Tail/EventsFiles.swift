import Foundation

/// Which events files a session has and which of them is the current one (contract 1.1, 1.2, 2.4).
struct EventsFiles {
    /// The current events file as far as the directory tells.
    enum Current: Equatable {
        /// It need not exist yet.
        case file(TailSource)
        case none
        /// The pointer is being written, or cannot be read now: what held before goes on to hold.
        case unsettled
    }

    let session: DiscoveredSession
    /// Canonical paths that are not read, nor what is below them.
    let secrets: [String]
    /// Why the pointer is not followed.
    private(set) var problem: String?
    /// Why not everything was seen, for a reason that will pass: the same look, made again, may find more.
    private var trouble: TailError?
    /// The same for a reason that will not pass, as a missing right.
    private(set) var denial: TailError?
    private var copies = CheckoutCopies()

    init(_ session: DiscoveredSession, secrets: [String]) {
        self.session = session
        self.secrets = secrets
    }

    private var directory: SessionDirectory { session.directory }

    /// Whether something did; see ``takeTrouble()``.
    var isTroubled: Bool { trouble != nil }

    /// What kept the looks since the last call from seeing everything, if anything did.
    mutating func takeTrouble() -> TailError? {
        defer { trouble = nil }
        return trouble
    }

    /// The file that runs write to now.
    mutating func current() -> Current {
        problem = nil
        switch directory.layout {
        case .ralph:
            if let found = pointed() { return found }
            let found = fallback()
            problem = problem.map {
                $0 + (found == .none ? "." : "; the newest events file is read instead.")
            }
            return found
        case .agent: return file(named: SessionDirectory.plainEventsName)
        case .nested:
            let names = [SessionDirectory.nestedEventsName, SessionDirectory.plainEventsName]
            let present = names.first { EntryStatus(at: directory.file($0)) != nil }
            return present.map(file(named:)) ?? .none
        case .unknown: return .none
        }
    }

    /// All events files of runs in the session directory, oldest first, without copies of another session's.
    mutating func all() -> [TailSource] {
        let isEventsFile: (String) -> Bool
        switch directory.layout {
        case .ralph: isEventsFile = SessionDirectory.isEventsFileName
        case .nested: isEventsFile = SessionDirectory.isNestedEvidence
        case .agent, .unknown: return []
        }
        do throws(SystemCode) {
            let names = try DirectoryListing.read(directory.path).files
            var sources: [TailSource] = []
            for name in names where isEventsFile(name) && !isCopy(name) {
                sources.append(TailSource(key: name, in: directory))
            }
            // Files that are gone were not asked for.
            copies.sweep()
            return sources.sorted { $0.rank < $1.rank }
        } catch {
            // A directory that cannot be read is reported by discovery; its known files are read as before.
            note(error, directory.path)
            return []
        }
    }

    /// Whether a file of this name in a worktree came with the checkout: git copies what is there. One that cannot be
    /// compared with the main workspace's counts as a copy.
    mutating func isCopy(_ name: String) -> Bool {
        guard let main = mainDirectory else { return false }
        guard EntryStatus(at: main.file(name)) != nil else {
            let reason = SystemCode(errno)
            note(reason, main.file(name))
            return !reason.isAbsence
        }
        do throws(TailError) {
            return try copies.isCopy(directory.file(name), of: main.file(name))
        } catch {
            if error.isPassing { trouble = error }
            return true
        }
    }

    private var mainDirectory: SessionDirectory? {
        guard let workspace = session.worktreeOf, directory.layout == .ralph else { return nil }
        return SessionDirectory(workspace: workspace)
    }

    /// What the pointer says; `nil` if there is none that may be followed.
    private mutating func pointed() -> Current? {
        let bytes: [UInt8]
        switch BoundedFile.find(directory.pointerFile, maximumBytes: 4096, isDirect: true) {
        case .content(let content): bytes = content
        case .none:
            if EntryStatus(at: directory.pointerFile) != nil { refuse(" is no short regular file") }
            return nil
        case .unreadable(let reason):
            if note(reason, directory.pointerFile) { return .unsettled }
            refuse(": \(reason)")
            return nil
        }
        let text = String(decoding: bytes, as: UTF8.self)
        if SessionDirectory.trimmed(text).isEmpty { return .unsettled }
        let found: TailSource?
        do throws(SystemCode) {
            found = try directory.eventsPath(pointer: text).flatMap { path throws(SystemCode) in
                try source(path)
            }
        } catch {
            if note(error, directory.pointerFile) { return .unsettled }
            refuse(" names what cannot be found: \(error)")
            return nil
        }
        guard let source = found else {
            refuse(" names a file that is not in the workspace \(directory.workspace), or hidden there")
            return nil
        }
        guard isCopy(source.key) else { return .file(source) }
        guard hasOwnLoop() else { return trouble == nil ? nil : .unsettled }
        if isStillCopied(source) { return .unsettled }
        return .file(source)
    }

    private mutating func refuse(_ why: String) {
        problem = "\(directory.pointerFile)\(why)"
    }

    /// Whether a worktree's loop is another one than the main workspace's: else its pointer is a copy too.
    mutating func hasOwnLoop() -> Bool {
        guard let main = mainDirectory else { return true }
        guard let own = loopID(in: directory) else { return false }
        let mains = loopID(in: main)
        return trouble == nil && own != mains
    }

    /// Whether the worktree's loop has only begun: it writes its id first, and then the pointer, which is a copy until that
    /// and points to an untouched copy. Both may bear the same time, since the clock of files is a coarse one.
    private mutating func isStillCopied(_ source: TailSource) -> Bool {
        guard let main = mainDirectory, let pointer = EntryStatus(at: directory.pointerFile),
            let id = EntryStatus(at: directory.currentLoopID), pointer.modified <= id.modified
        else { return false }
        do throws(TailError) {
            let copy = try OpenFile(source.path)
            let size = try copy.status().size
            let count = Int(min(size, 4096))
            guard count > 0 else { return false }
            let end = try copy.bytes(at: size - Int64(count), count: count)
            return try OpenFile(main.file(source.key)).bytes(at: size - Int64(count), count: count) == end
        } catch {
            if error.isPassing { trouble = error }
            return error.isPassing
        }
    }

    private mutating func loopID(in directory: SessionDirectory) -> [UInt8]? {
        switch BoundedFile.find(directory.currentLoopID, maximumBytes: 4096) {
        case .content(let id): return id
        case .none: return nil
        case .unreadable(let reason):
            note(reason, directory.currentLoopID)
            return nil
        }
    }

    /// Notes why `path` was not looked at; whether that will pass.
    @discardableResult
    private mutating func note(_ reason: SystemCode, _ path: String) -> Bool {
        let error = TailError(errno: reason.code, path: path)
        if reason.isPassing {
            trouble = error
        } else if !reason.isAbsence {
            denial = error
        }
        return reason.isPassing
    }

    private mutating func fallback() -> Current {
        let files = all()
        let plain = files.first { $0.key == SessionDirectory.plainEventsName }
        return (plain ?? files.last).map(Current.file) ?? .none
    }

    private func file(named name: String) -> Current {
        do throws(SystemCode) {
            return try source(directory.file(name)).map(Current.file) ?? .none
        } catch {
            // Without its directory there is no such file; discovery reports that.
            return .none
        }
    }

    /// The events file at `path`, which need not exist; `nil` for one that is not to be read.
    ///
    /// - Throws: why nobody can tell where it is.
    private func source(_ path: String) throws(SystemCode) -> TailSource? {
        let real = try Self.canonical(path)
        guard !real.isSecret(among: secrets),
            let below = real.path(below: directory.workspace), !SessionDirectory.isHidden(below)
        else { return nil }
        return TailSource(engine: real, of: directory)
    }

    /// `path` without links; its last component need not exist.
    private static func canonical(_ path: String) throws(SystemCode) -> String {
        do throws(SystemCode) {
            return try path.resolvedPath()
        } catch {
            guard EntryStatus(at: path) == nil, let parts = path.pathParts else { throw error }
            return try parts.parent.resolvedPath().appendingPath(parts.name)
        }
    }
}
