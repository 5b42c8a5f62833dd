import NIOPosix
import RalphFeed
import RalphSessions
import RalphWire

/// Answers for figures: what is stored, and up to now what still goes on.
struct FigureReader: Sendable {
    let feed: EventFeed
    let catalogue: SessionCatalogue
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
        return try await threads.runIfActive { [feed, catalogue] in
            var figures = try wanted.map { [$0: try feed.figures(of: $0)] } ?? feed.figures(in: query.days)
            let now = WallClock.milliseconds()
            // What was purged is not spoken of; its figures come back with it.
            for id in figures.keys where catalogue.entry(id)?.isShown == false { figures[id] = nil }
            for (id, days) in figures where days.open != Figures() {
                guard let entry = catalogue.entry(id) else { continue }
                figures[id]?.addOpen(entry, now: now)
            }
            return StatsObject(query, figures) { catalogue.directory(of: $0)?.workspace }
        }
    }
}

extension FigureDays {
    /// Counts what goes on in a session up to `now`; a run that is silently gone up to its last event.
    mutating func addOpen(_ entry: CatalogueEntry, now: Int64) {
        let open = open
        if open.runMilliseconds != 0 {
            let isOver = entry.standing(now: now).isOver
            let end = isOver ? entry.state.lastEventAt ?? open.runMilliseconds : now
            addSpan(\.runMilliseconds, from: open.runMilliseconds, to: min(end, now))
        }
        for path in [\Figures.suspendedMilliseconds, \.haltedMilliseconds] where open[keyPath: path] != 0 {
            addSpan(path, from: open[keyPath: path], to: now)
        }
    }
}
