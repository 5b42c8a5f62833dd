import NIOCore
import RalphSessions
import RalphWire
import Synchronization

/// Configurations, presets, prompts, hats and skills for everybody who asks (http-contract 5).
///
/// Lists are made one after the other and kept encoded; one whose files do not answer is not waited for. A kept list is given as long as inotify tells of no
/// change, and is made again each second for what inotify does not see; files that have not changed are not
/// read again then.
final class Library: Sendable {
    /// How long a list is given without looking at its files, whatever inotify says.
    static let freshness: Duration = .seconds(1)
    /// How long it may be given while it is being made again.
    static let patience: Duration = .seconds(3)

    /// How long a request waits for its list.
    private static let patienceForLists: Duration = .seconds(16)

    struct Key: Hashable, Sendable {
        let list: LibraryList
        let scope: LibraryScope
    }

    /// A list as it was made.
    struct Made: Sendable {
        let generation: UInt64
        let placesVersion: UInt64
        let at: ContinuousClock.Instant
        /// When it was begun to be made again.
        var renewedAt: ContinuousClock.Instant?
        let body: ByteBuffer
        let skills: [SkillItem]

        /// Bytes in memory, about: skills are kept as items besides.
        var cost: Int { body.readableBytes * (skills.isEmpty ? 1 : 2) }
    }

    /// What changes while the library is in use.
    struct State {
        /// From the start to the stop.
        var watch: LibraryWatch?
        var generation: UInt64 = 0
        var made: [Key: Made] = [:]

        mutating func takeChanges() {
            if watch?.takeChanges() == true { generation &+= 1 }
        }

        /// Keeps a list unless it is too large. Others that are too many or too large with it go: nobody may
        /// ask for them any more.
        mutating func keep(_ list: Made, as key: Key) {
            made[key] = nil
            guard list.cost <= LibraryLimits.cachedListBytes else { return }
            let bytes = made.values.reduce(list.cost) { $0 + $1.cost }
            if made.count >= LibraryLimits.cachedLists || bytes > LibraryLimits.cachedListBytes { made = [:] }
            made[key] = list
        }
    }

    let places: LibraryPlaces
    let catalogue: SessionCatalogue
    private let threads: FileThreads
    private let turns = WorkTurns(
        places: 1, patience: FileThreads.limit, what: "lists", maximumWaiting: 256)
    private let state = Mutex(State())
    /// Taken out while a list is made.
    private let cache = Mutex(FactsCache())

    init(places: LibraryPlaces, catalogue: SessionCatalogue, threads: FileThreads) {
        self.places = places
        self.catalogue = catalogue
        self.threads = threads
    }

    func start() { state.withLock { $0.watch = LibraryWatch() } }

    /// A user has few inotify instances.
    func stop() { state.withLock { $0.watch = nil } }

    /// The body of a list of everything, if it is made already and nothing has changed; on any thread, at once: also while
    /// a directory that is to be watched does not answer.
    func ready(_ list: LibraryList) -> ByteBuffer? {
        let key = Key(list: list, scope: .everything)
        let version = catalogue.placesVersion
        let now = ContinuousClock.now
        return state.withLockIfAvailable { state -> ByteBuffer? in
            state.takeChanges()
            guard let made = state.made[key], made.generation == state.generation,
                made.placesVersion == version
            else { return nil }
            let age = now - made.at
            if age < Self.freshness { return made.body }
            if age < Self.patience, let renewed = made.renewedAt, now - renewed < Self.freshness {
                return made.body
            }
            return nil
        } ?? nil
    }

    /// The body of a list.
    ///
    /// - Throws: what `scope` throws; ``Problem`` 503 where the files do not answer, or too many wait.
    func body(_ list: LibraryList, _ scope: LibraryScope.Look = .everything) async throws -> ByteBuffer {
        try await current(list, scope).body
    }

    /// The skill of this name.
    ///
    /// - Throws: ``Problem`` 404 if there is none.
    func skill(_ name: String, _ scope: LibraryScope.Look = .everything) async throws -> SkillItem {
        let skills = try await current(.skills, scope).skills
        guard let skill = skills.first(where: { $0.object.name == name }) else {
            throw Problem.skillNotFound(name)
        }
        return skill
    }

    // MARK: Making

    private func current(_ list: LibraryList, _ scope: LibraryScope.Look) async throws -> Made {
        // Before the turn: who asks for what does not answer keeps nobody waiting. The next one would only wait behind it.
        let found = try await threads.run(at: scope.place, of: "library", proof: 1, scope.look)
        return try await turns.run {
            let limit = Self.patienceForLists
            return try await threads.run(at: scope.place, of: "library", within: limit, proof: 1) { [self] in
                try current(Key(list: list, scope: found))
            }
        }
    }

    /// The list as it is now; blocks.
    private func current(_ key: Key) throws -> Made {
        let now = ContinuousClock.now
        let version = catalogue.placesVersion
        let (kept, generation) = state.withLock { state in
            state.takeChanges()
            return (state.made[key], state.generation)
        }
        if let kept, kept.generation == generation, kept.placesVersion == version,
            now - kept.at < Self.freshness
        {
            return kept
        }
        state.withLock { $0.made[key]?.renewedAt = now }
        let (body, skills) = try make(key)
        let made = Made(
            generation: generation, placesVersion: version, at: now, renewedAt: nil, body: body,
            skills: skills)
        state.withLock { $0.keep(made, as: key) }
        return made
    }

    private func make(_ key: Key) throws -> (ByteBuffer, [SkillItem]) {
        let kept = cache.withLock { cache in
            defer { cache = FactsCache() }
            return cache
        }
        var lister = LibraryLister(
            scope: key.scope, workspaces: key.scope == .everything ? workspaces() : [],
            finder: LibraryFinder(places: places) { [self] path, names, contents in
                // What does not answer is met before the lock.
                guard EntryStatus(behindLinks: path) != nil else { return }
                state.withLock { $0.watch?.add(path, names: names, contents: contents) }
            },
            facts: FactsReader(cache: kept))
        defer {
            let facts = lister.facts.cache
            cache.withLock { $0 = facts }
        }
        return try lister.encode(key.list)
    }

    /// The workspaces in which sessions were found, the first root's first.
    func workspaces() -> [String] {
        var found: Set<PathKey> = []
        for entry in catalogue.entries(now: WallClock.milliseconds())
        where !entry.isGone && entry.session.directory.layout == .ralph {
            found.insert(PathKey(entry.session.worktreeOf ?? entry.session.directory.workspace))
        }
        let ranked = found.map { key in
            (key, places.roots.firstIndex { key.path.isPath(inside: $0) } ?? places.roots.count)
        }
        return ranked.sorted { ($0.1, $0.0) < ($1.1, $1.0) }.map(\.0.path)
    }

    /// The workspaces in which the file may lie that lists call `path`: `workspace`, or if that is `nil` those of
    /// ``workspaces()`` that a request may name.
    func workspaces(above path: LibraryPath, of workspace: String?) -> [LibraryPlace] {
        let known = (workspace.map { [$0] } ?? workspaces()).map(places.workspace)
        return known.filter { place in
            guard place.base.appendingPath(path.text).isPath(inside: place.directory) else { return false }
            // One that may not be named has nothing to show.
            return workspace != nil || (try? places.resolve(workspace: place.directory)) != nil
        }
    }
}
