import Foundation

/// Which events files a session has and which of them is the current one (contract 1.1, 1.2, 2.4).
struct EventsFiles {
    /// The current events file as far as the directory tells.
    enum Current: Equatable {
        /// It need not exist yet.
        case file(TailSource)
        case none
        /// The pointer is being written: what held before goes on to hold.
        case unsettled
    }

    let session: DiscoveredSession
    /// Why the pointer is not followed.
    private(set) var problem: String?

    init(_ session: DiscoveredSession) { self.session = session }

    private var directory: SessionDirectory { session.directory }

    /// The file that runs write to now.
    mutating func current() -> Current {
        problem = nil
        switch directory.layout {
        case .ralph: return pointed() ?? fallback()
        case .agent: return file(named: SessionDirectory.plainEventsName)
        case .nested:
            let names = [SessionDirectory.nestedEventsName, SessionDirectory.plainEventsName]
            let present = names.first { EntryStatus(at: directory.file($0)) != nil }
            return present.map(file(named:)) ?? .none
        case .unknown: return .none
        }
    }

    /// All events files of runs in the session directory, oldest first, without copies of another session's.
    func all() -> [TailSource] {
        guard directory.layout == .ralph else { return [] }
        // A directory that cannot be read is reported by discovery; its known files are read as before.
        let names = (try? DirectoryListing.read(directory.path).files) ?? []
        return names.filter { SessionDirectory.isEventsFileName($0) && !isCopy($0) }
            .map { TailSource(key: $0, in: directory) }
            .sorted { $0.rank < $1.rank }
    }

    /// Whether a file of this name in a worktree came with the checkout: git copies what is there.
    func isCopy(_ name: String) -> Bool {
        guard let main = mainDirectory else { return false }
        return EntryStatus(at: main.file(name)) != nil
    }

    private var mainDirectory: SessionDirectory? {
        guard let workspace = session.worktreeOf, directory.layout == .ralph else { return nil }
        let path = workspace + "/" + SessionDirectory.ralphName
        return SessionDirectory(path: path, workspace: workspace, layout: .ralph)
    }

    /// What the pointer says; `nil` if there is none that may be followed.
    private mutating func pointed() -> Current? {
        guard let bytes = BoundedFile.read(directory.pointerFile, maximumBytes: 4096, isDirect: true) else {
            return nil
        }
        let text = String(decoding: bytes, as: UTF8.self)
        if SessionDirectory.trimmed(text).isEmpty { return .unsettled }
        guard let path = directory.eventsPath(pointer: text), let canonical = Self.canonical(path),
            let source = TailSource(engine: canonical, of: directory)
        else {
            problem =
                "\(directory.pointerFile) names a file that is not in the workspace \(directory.workspace); "
                + "the newest events file is read instead."
            return nil
        }
        if isCopy(source.key), !hasOwnLoop { return nil }
        return .file(source)
    }

    /// Whether a worktree's loop is another one than the main workspace's: else its pointer is a copy too.
    var hasOwnLoop: Bool {
        guard let main = mainDirectory else { return true }
        let own = BoundedFile.read(directory.currentLoopID, maximumBytes: 4096)
        return own != nil && own != BoundedFile.read(main.currentLoopID, maximumBytes: 4096)
    }

    private func fallback() -> Current {
        let files = all()
        let plain = files.first { $0.key == SessionDirectory.plainEventsName }
        return (plain ?? files.last).map(Current.file) ?? .none
    }

    private func file(named name: String) -> Current {
        guard let path = Self.canonical(directory.file(name)),
            let source = TailSource(engine: path, of: directory)
        else { return .none }
        return .file(source)
    }

    /// `path` without links; its last component need not exist.
    private static func canonical(_ path: String) -> String? {
        if let resolved = resolve(path) { return resolved }
        guard EntryStatus(at: path) == nil, let slash = path.lastIndex(of: "/") else { return nil }
        let parent = slash == path.startIndex ? "/" : String(path[..<slash])
        return resolve(parent).map { ($0 == "/" ? "" : $0) + path[slash...] }
    }

    private static func resolve(_ path: String) -> String? {
        guard let pointer = realpath(path, nil) else { return nil }
        defer { free(pointer) }
        return String(validatingCString: pointer)
    }
}
