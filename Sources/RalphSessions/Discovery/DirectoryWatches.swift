import RalphWire

/// Which directories are watched, and for whom: one inotify watch serves everybody who asks for a directory.
struct DirectoryWatches {
    /// Who wants to know of changes in a directory.
    enum Reader: Hashable {
        /// The scanner: something may appear or vanish here.
        case scan(ScanResult.Role)
        /// The session whose directory it is.
        case session(SessionID)
        /// A session with a tailed output file in here.
        case agentOutput(SessionID)
        /// A session whose pointer leads in here.
        case pointed(SessionID)

        var flags: InotifyEvent.Flags {
            switch self {
            case .scan(.tree), .scan(.leaf): .entries
            // A loop id that is rewritten in place can make a session of a copy.
            case .scan(.layout): [.entries, .closeWrite]
            case .session, .agentOutput, .pointed: .contents
            }
        }
    }

    /// How much of what happens in a directory is told; less comes first.
    enum Reach: Comparable {
        /// Nothing: it is not watched.
        case nothing
        /// What comes from this machine: others change the directory as well, see ``FileSystemKind/isSilent``.
        case ownChanges
        case everything
    }

    private struct Watch {
        var path: String
        var readers: Set<Reader>
        /// Asked once, when the watch begins: no file system becomes another one under a directory.
        let reach: Reach
    }

    private let inotify: InotifyWatcher
    private let fileSystem: @Sendable (String) -> FileSystemKind?
    private var watches: [Int32: Watch] = [:]
    private var descriptors: [PathKey: (watch: Int32, identity: FileIdentity)] = [:]
    /// Those that the kernel may have ended without our hearing of it.
    private var doubted: Set<Int32> = []

    /// - Parameter fileSystem: what a directory lies on; where nobody knows, it is taken for silent.
    init(inotify: InotifyWatcher, fileSystem: @escaping @Sendable (String) -> FileSystemKind?) {
        self.inotify = inotify
        self.fileSystem = fileSystem
    }

    /// Watches `path` for `reader`.
    ///
    /// - Parameters:
    ///   - identity: the directory's numbers, if somebody has just looked.
    ///   - isNew: set to `true` when the directory was not watched before, so that what happened in it
    ///     between the last look and now must be looked for.
    /// - Returns: how much of what happens there is told.
    mutating func add(
        _ reader: Reader, to path: String, identity: FileIdentity? = nil, isNew: inout Bool
    ) -> Reach {
        guard let identity = identity ?? EntryStatus(at: path)?.identity else { return .nothing }
        if let held = descriptors[PathKey(path)] {
            if held.identity == identity {
                if let watch = watches[held.watch], watch.readers.contains(reader),
                    !doubted.contains(held.watch)
                {
                    return watch.reach
                }
            } else {
                // Another directory took the place of the watched one.
                drop(held.watch, path)
            }
        }
        let held = descriptors[PathKey(path)].flatMap { watches[$0.watch] == nil ? nil : $0.watch }
        let readers = (held.flatMap { watches[$0]?.readers } ?? []).union([reader])
        guard case .watching(let watch) = inotify.watch(path, for: Self.flags(readers), isHeld: held != nil)
        else { return .nothing }
        let isLost = confirm(watch, insteadOf: held)
        if held == nil || isLost, let other = watches[watch] {
            inotify.forget()
            if EntryStatus(at: other.path)?.identity == identity {
                // The same directory under two names (a bind mount): one watch that tells everybody.
                _ = inotify.watch(path, for: Self.flags(readers.union(other.readers)), isHeld: true)
            } else {
                // It was renamed; whoever knew it by the other name has to ask for it by this one.
                descriptors[PathKey(other.path)] = nil
                watches[watch] = nil
            }
        }
        var new = watches[watch] ?? Watch(path: path, readers: [], reach: reach(in: path))
        new.readers.formUnion(readers)
        watches[watch] = new
        descriptors[PathKey(path)] = (watch, identity)
        if held == nil || isLost { isNew = true }
        return new.reach
    }

    /// Notes that the kernel has `watch`; whether it is another one than `held`: the directory was made anew with the same
    /// numbers.
    private mutating func confirm(_ watch: Int32, insteadOf held: Int32?) -> Bool {
        doubted.remove(watch)
        guard let held, held != watch else { return false }
        doubted.remove(held)
        watches[held] = nil
        return true
    }

    /// Events were lost, and ends of watches among them: each is asked for once more when somebody adds it again.
    mutating func doubtAll() { doubted = Set(watches.keys) }

    /// Ends the watch of `path` for `reader`.
    mutating func remove(_ reader: Reader, from path: String) {
        guard let held = descriptors[PathKey(path)] else { return }
        watches[held.watch]?.readers.remove(reader)
        if watches[held.watch]?.readers.isEmpty == true { drop(held.watch, path) }
    }

    /// The kernel ended `watch`. Gives whom it was for.
    mutating func forget(_ watch: Int32) -> Set<Reader> {
        guard let old = watches.removeValue(forKey: watch) else { return [] }
        descriptors[PathKey(old.path)] = nil
        doubted.remove(watch)
        inotify.forget()
        return old.readers
    }

    /// For whom `watch` is, and on which path.
    func readers(of watch: Int32) -> (path: String, readers: Set<Reader>)? {
        watches[watch].map { ($0.path, $0.readers) }
    }

    private func reach(in path: String) -> Reach {
        fileSystem(path)?.isSilent ?? true ? .ownChanges : .everything
    }

    private static func flags(_ readers: Set<Reader>) -> InotifyEvent.Flags {
        readers.reduce(into: InotifyEvent.Flags()) { $0.formUnion($1.flags) }
    }

    private mutating func drop(_ watch: Int32, _ path: String) {
        descriptors[PathKey(path)] = nil
        doubted.remove(watch)
        if watches.removeValue(forKey: watch) != nil { inotify.unwatch(watch) }
    }
}
