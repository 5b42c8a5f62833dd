import RalphSessions
import RalphWire

/// What `GET /api/stats` is asked for.
struct StatsQuery: Sendable, Equatable {
    /// The longest window: as many days, or the hours of them.
    static let maximumDays: Int64 = 366

    /// As the client said it, such as `7d`.
    let window: String
    /// Days since 1970-01-01.
    let days: ClosedRange<Int64>
    /// An id or prefix of one.
    let session: String?

    /// - Parameter now: milliseconds since 1970.
    /// - Throws: ``Problem`` 400 for a window that is none.
    init(_ query: String?, now: Int64) throws(Problem) {
        let items = try QueryItems(query)
        window = items["window"] ?? "7d"
        session = items["session"]
        let today = FigureDays.day(of: now)
        let digits = window.dropLast()
        guard (1...4).contains(digits.utf8.count), digits.utf8.allSatisfy({ (48...57).contains($0) }),
            let count = Int64(digits), count > 0
        else { throw Self.problem }
        switch window.last {
        case "d" where count <= Self.maximumDays: days = today - count + 1...today
        case "h" where count <= Self.maximumDays * 24:
            days = FigureDays.day(of: now - count * 3_600_000)...today
        default: throw Self.problem
        }
    }

    private static let problem = Problem.invalidRequest(
        "window must be 1h to 8784h or 1d to 366d, such as 7d")
}
