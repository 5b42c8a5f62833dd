import RalphSessions

/// Tells whether something in the directories that lists were made of has changed, without looking at them
/// (inotify(7)).
///
/// What it cannot watch is looked at again each second instead, see ``Library``. Not safe for threads: its
/// owner has a lock.
final class LibraryWatch {
    private struct Watched {
        var path: String
        var flags: InotifyEvent.Flags
        /// The entries that matter; `nil`: all.
        var names: Set<String>?
    }

    /// `nil`: the system has none to give.
    private let inotify: InotifyWatcher?
    private var watched: [Int32: Watched] = [:]
    private var watches: [PathKey: Int32] = [:]

    init(maximumWatches: Int = LibraryLimits.watches) {
        // Without a pipe there is no watching, and all is looked at each second.
        inotify = (try? WatchWakeup()).map { InotifyWatcher(wakeup: $0, maximumWatches: maximumWatches) }
    }

    /// Watches a directory whose real path `path` is.
    ///
    /// - Parameters:
    ///   - names: the entries whose coming and going matters, `nil`: all.
    ///   - contents: whether what is written to them matters too.
    func add(_ path: String, names: Set<String>?, contents: Bool) {
        guard let inotify else { return }
        let known = watches[PathKey(path)]
        var earlier = known.flatMap { watched[$0] }
        var flags = (contents ? InotifyEvent.Flags.contents : .entries).union(earlier?.flags ?? [])
        // Asked for again each time: another directory may be there by now under this path.
        guard case .watching(let watch) = inotify.watch(path, for: flags, isHeld: false) else { return }
        if let known, known != watch {
            watched[known] = nil
            inotify.unwatch(known)
        }
        if let held = watched[watch] {
            inotify.forget()  // the same one again
            if known != watch {
                // It was renamed, or has two names (a bind mount): one watch tells what either is asked for.
                watches[PathKey(held.path)] = nil
                earlier = held
                flags.formUnion(held.flags)
                _ = inotify.watch(path, for: flags, isHeld: true)
            }
        }
        var wanted = names
        if let earlier { wanted = earlier.names.flatMap { names?.union($0) } }
        watched[watch] = Watched(path: path, flags: flags, names: wanted)
        watches[PathKey(path)] = watch
    }

    /// Whether anything that matters has happened since the last call; one system call if not.
    func takeChanges() -> Bool {
        var hasChanged = false
        inotify?.readEvents { event in
            if event.flags.contains(.overflow) { hasChanged = true }
            guard let entry = watched[event.watch] else { return }
            if event.flags.contains(.ignored) {
                watched[event.watch] = nil
                watches[PathKey(entry.path)] = nil
                inotify?.forget()
                hasChanged = true
            } else if event.name.isEmpty || entry.names?.contains(event.name) != false {
                hasChanged = true
            }
        }
        return hasChanged
    }
}
