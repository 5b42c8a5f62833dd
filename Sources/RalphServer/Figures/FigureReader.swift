import NIOPosix
import RalphControl
import RalphFeed
import RalphSessions
import RalphWire

/// Answers for figures: what is stored, and up to now what still goes on.
struct FigureReader: Sendable {
    let feed: EventFeed
    let catalogue: SessionCatalogue
    let registry: RunRegistry
    let ends: StoredEnds
    let threads: NIOThreadPool

    /// The figures of the session that `segment` of a path means.
    ///
    /// - Throws: ``Problem`` 404, ``StoreError``.
    func metrics(_ segment: Substring) async throws -> MetricsObject {
        let id = try catalogue.resolve(segment)
        var figures = try await threads.runIfActive { [feed] in try feed.figures(of: id) }
        let now = WallClock.milliseconds()
        let entry = try catalogue.require(id)
        figures.addOpen(entry, now: now)
        return MetricsObject(entry, figures, now: now)
    }

    /// The figures of all sessions, or of one, in a window.
    ///
    /// - Throws: ``Problem`` 404, ``StoreError``.
    func stats(_ query: StatsQuery) async throws -> StatsObject {
        let wanted = try query.session.map { name throws(Problem) in try catalogue.resolve(name[...]) }
        return try await threads.runIfActive { [feed, catalogue, registry, ends] in
            var figures = try wanted.map { [$0: try feed.figures(of: $0)] } ?? feed.figures(in: query.days)
            let now = WallClock.milliseconds()
            // What was purged is not spoken of; its figures come back with it.
            for id in figures.keys where catalogue.isPurged(id) { figures[id] = nil }
            for (id, days) in figures where days.open != Figures() {
                if let entry = catalogue.entry(id) {
                    figures[id]?.addOpen(entry, now: now)
                } else {
                    figures[id]?.addOpen(
                        registry.run(id)?.record, lastEventAt: ends.lastEventAt(id), now: now)
                }
            }
            return StatsObject(query, figures) { catalogue.directory(of: $0)?.workspace }
        }
    }
}

extension FigureDays {
    /// Counts what goes on in a session up to `now`; a run that is silently gone up to its last event.
    mutating func addOpen(_ entry: CatalogueEntry, now: Int64) {
        let isOver = entry.standing(now: now).isOver
        // A pause by its end is over when its directory is gone.
        let halted = entry.isGone ? nil : now
        addOpen(run: isOver ? entry.state.lastEventAt : now, suspended: now, halted: halted, now: now)
    }

    /// Counts what went on in a session that no scan has found: up to `now` where its process lives, else up to what is
    /// known of it last. A pause by its end is over when its directory is gone, and when that was is not known.
    mutating func addOpen(_ record: RunRecord?, lastEventAt: Int64?, now: Int64) {
        let isAlive = record?.process?.isAlive == true
        let suspended = isAlive ? now : record?.seenAt
        let isSuspended = open.suspendedMilliseconds != 0
        let signs = [lastEventAt, isSuspended ? suspended : nil]
        addOpen(
            run: isAlive ? now : signs.compactMap(\.self).max(), suspended: suspended, halted: nil, now: now)
    }

    /// - Parameters:
    ///   - runEnd: up to when a run goes on, milliseconds since 1970; `nil`: no more of it is known than was counted.
    ///   - suspensionEnd: the same for its suspension.
    ///   - haltEnd: the same for a pause by its end.
    private mutating func addOpen(
        run runEnd: Int64?, suspended suspensionEnd: Int64?, halted haltEnd: Int64?, now: Int64
    ) {
        let open = open
        let ends: [(WritableKeyPath<Figures, Int64>, Int64?)] = [
            (\.runMilliseconds, runEnd), (\.suspendedMilliseconds, suspensionEnd),
            (\.haltedMilliseconds, haltEnd),
        ]
        for (path, end) in ends {
            guard let end, open[keyPath: path] != 0 else { continue }
            addSpan(path, from: open[keyPath: path], to: min(end, now))
        }
    }
}
