import RalphSessions
import RalphWire

/// The figures of one session: those of its last run as the status has them, and those of all its days.
struct MetricsObject: Encodable, Sendable {
    /// Days that are listed, the newest; the totals count them all.
    static let maximumDays = 366

    let session_id: String
    let lastRun: SessionStatus.TokenMetrics
    let totals: FigureObject
    let days: [FigureDayObject]

    init(_ entry: CatalogueEntry, _ figures: FigureDays, now: Int64) {
        session_id = entry.session.id.rawValue
        lastRun = SessionStatus.TokenMetrics(entry, now: now)
        totals = FigureObject(figures.total)
        days = figures.sorted.suffix(Self.maximumDays).map { FigureDayObject($0.day, $0.figures) }
    }

    private enum CodingKeys: String, CodingKey { case session_id, totals, days }

    func encode(to encoder: any Encoder) throws {
        try lastRun.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(session_id, forKey: .session_id)
        try container.encode(totals, forKey: .totals)
        try container.encode(days, forKey: .days)
    }
}
