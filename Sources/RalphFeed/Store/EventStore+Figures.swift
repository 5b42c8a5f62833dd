import RalphWire

/// What was added up; see ``FigureDays``.
extension EventStore {
    /// All days of one session.
    func figures(of id: SessionID) throws(StoreError) -> FigureDays {
        try read { db in
            let select = try SQLStatement(
                "SELECT day, \(FigureColumns.list) FROM figure WHERE session = ?1", on: db)
            select.bind(1, text: id.rawValue)
            var figures = FigureDays()
            try select.forEachRow {
                figures.add(FigureColumns.figures(select, from: 1), day: select.integer(0))
                return true
            }
            return figures
        }
    }

    /// Some days of all sessions, and since when what goes on goes on.
    func figures(in days: ClosedRange<Int64>) throws(StoreError) -> [SessionID: FigureDays] {
        try read { db in
            let select = try SQLStatement(Self.selectDays, on: db)
            select.bind(1, days.lowerBound)
            select.bind(2, days.upperBound)
            select.bind(3, FigureDays.openDay)
            var sessions: [SessionID: FigureDays] = [:]
            try select.forEachRow {
                guard let id = SessionID(select.text(0)) else { return true }
                sessions[id, default: FigureDays()].add(
                    FigureColumns.figures(select, from: 2), day: select.integer(1))
                return true
            }
            return sessions
        }
    }

    private static let selectDays = """
        SELECT session, day, \(FigureColumns.list) FROM figure
        WHERE day BETWEEN ?1 AND ?2 OR (day = ?3 AND (run_ms <> 0 OR suspended_ms <> 0 OR halted_ms <> 0))
        """
}
