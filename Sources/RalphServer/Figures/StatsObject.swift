import RalphWire

/// The figures of some days: in all, day by day, and session by session.
struct StatsObject: Encodable, Sendable {
    /// One session's share. `working_dir` is `null` where the session is not to be found any more.
    struct Session: Encodable, Sendable {
        let id: String
        let working_dir: String?
        let figures: FigureObject

        private enum CodingKeys: String, CodingKey { case id, working_dir }

        func encode(to encoder: any Encoder) throws {
            try figures.encode(to: encoder)
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(id, forKey: .id)
            try container.encode(working_dir, forKey: .working_dir)
        }
    }

    /// Sessions that are listed, those that worked longest; the totals count them all.
    static let maximumSessions = 500

    let window: String
    /// The first and the last day, in UTC.
    let from: String
    let to: String
    let totals: FigureObject
    /// Every day of the window, also those without anything.
    let days: [FigureDayObject]
    let sessions: [Session]
    /// How many have figures in the window, listed or not.
    let session_count: Int
    let sessions_cut: Bool

    /// - Parameter directory: the workspace of a session.
    init(_ query: StatsQuery, _ figures: [SessionID: FigureDays], directory: (SessionID) -> String?) {
        window = query.window
        from = FigureDayObject.text(query.days.lowerBound)
        to = FigureDayObject.text(query.days.upperBound)
        var byDay: [Int64: Figures] = [:]
        var sums: [(id: SessionID, figures: Figures)] = []
        for (id, figures) in figures {
            var sum = Figures()
            for (day, figures) in figures.days where query.days.contains(day) {
                byDay[day, default: Figures()].add(figures)
                sum.add(figures)
            }
            if sum != Figures() { sums.append((id, sum)) }
        }
        totals = FigureObject(byDay.values.reduce(into: Figures()) { $0.add($1) })
        days = query.days.map { FigureDayObject($0, byDay[$0] ?? Figures()) }
        sums.sort { left, right in
            let times = (left.figures.workedMilliseconds, right.figures.workedMilliseconds)
            return times.0 == times.1 ? left.id < right.id : times.0 > times.1
        }
        sessions = sums.prefix(Self.maximumSessions).map { id, figures in
            Session(id: id.rawValue, working_dir: directory(id), figures: FigureObject(figures))
        }
        session_count = sums.count
        sessions_cut = sums.count > Self.maximumSessions
    }
}
