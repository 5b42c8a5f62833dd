import GRDB
import RalphWire

/// The columns of the table `figure`, and how its rows are written and read.
enum FigureColumns {
    /// A column and the member that it holds.
    struct Column: Sendable {
        let name: String
        let path: any WritableKeyPath<Figures, Int64> & Sendable
        /// The larger one counts, not the sum.
        var isPeak = false
    }

    /// The names never change their meaning.
    static let all: [Column] = [
        Column(name: "runs", path: \.runs), Column(name: "iterations", path: \.iterations),
        Column(name: "input_tokens", path: \.inputTokens),
        Column(name: "output_tokens", path: \.outputTokens),
        Column(name: "cache_read_tokens", path: \.cacheReadTokens),
        Column(name: "cache_write_tokens", path: \.cacheWriteTokens),
        Column(name: "peak_input_tokens", path: \.peakInputTokens, isPeak: true),
        Column(name: "cost_nanodollars", path: \.costNanodollars),
        Column(name: "tool_calls", path: \.toolCalls), Column(name: "gates_passed", path: \.gatesPassed),
        Column(name: "gates_failed", path: \.gatesFailed), Column(name: "run_ms", path: \.runMilliseconds),
        Column(name: "suspended_ms", path: \.suspendedMilliseconds),
        Column(name: "halted_ms", path: \.haltedMilliseconds),
    ]

    /// Adds `figures` to what is stored of `session`, inside the caller's transaction.
    static func add(_ figures: FigureDays, session: SessionID, on db: Database) throws {
        let statement = try SQLStatement(upsert, on: db)
        for (day, figures) in figures.days {
            statement.bind(1, text: session.rawValue)
            statement.bind(2, day)
            for (index, column) in all.enumerated() {
                statement.bind(Int32(index + 3), figures[keyPath: column.path])
            }
            try statement.run()
        }
    }

    /// The figures of a row that begins with other columns, `first` of them.
    static func figures(_ row: SQLStatement, from first: Int32) -> Figures {
        var figures = Figures()
        for (index, column) in all.enumerated() {
            figures[keyPath: column.path] = row.integer(first + Int32(index))
        }
        return figures
    }

    /// The columns for a SELECT.
    static let list = all.map(\.name).joined(separator: ", ")

    private static let upsert: String = {
        let values = (1...all.count + 2).map { "?\($0)" }.joined(separator: ",")
        let sums = all.map { column in
            let sum = "\(column.name) + excluded.\(column.name)"
            return column.isPeak
                ? "\(column.name) = max(\(column.name), excluded.\(column.name))" : "\(column.name) = \(sum)"
        }
        return """
            INSERT INTO figure (session, day, \(list)) VALUES (\(values))
            ON CONFLICT (session, day) DO UPDATE SET \(sums.joined(separator: ", "))
            """
    }()
}
