import NIOHTTP1
import Synchronization

/// How many requests there were, how they ended and how long they took, by route; `/metrics` shows it.
///
/// Its size is bounded by the table of routes: what belongs to no route is counted together, and so are the
/// methods that a route does not answer.
final class RequestFigures: Sendable {
    /// The requests of one method to one route.
    struct Series: Sendable {
        let route: String
        let method: String
        /// By the first digit of the status, 1 … 5.
        var classes = [Int](repeating: 0, count: 6)
        var durations = DurationHistogram()
    }

    /// What stands for paths that are no route.
    static let unmatched = "unmatched"
    /// What stands for methods that nobody uses.
    static let otherMethod = "OTHER"
    static let methods: [HTTPMethod] = [.GET, .HEAD, .POST, .PUT, .PATCH, .DELETE, .OPTIONS]

    private let patterns: RoutePatterns
    /// Whether the route of each place in the list answers the method of that place.
    private let isAnswered: [Bool]
    private let series: Mutex<[Series?]>

    init(_ table: RouteTable) {
        let patterns = RoutePatterns(table)
        self.patterns = patterns
        isAnswered =
            patterns.paths.flatMap { path in
                let methods = table.methods(for: path)
                return Self.methods.map { methods.contains($0.rawValue) } + [true]
            } + Self.methods.map { _ in true } + [true]
        series = Mutex(
            [Series?](repeating: nil, count: (patterns.paths.count + 1) * (Self.methods.count + 1)))
    }

    /// Where requests for this path are counted.
    func route(of path: RequestPath) -> Int { patterns.index(of: path.segments) ?? patterns.paths.count }

    /// Where requests are counted whose path is not known.
    var unmatchedRoute: Int { patterns.paths.count }

    /// Counts an answer; called when it is written.
    ///
    /// - Parameter nanoseconds: since the request's head was there.
    func note(route: Int, method: HTTPMethod?, status: UInt, nanoseconds: Int64) {
        let column = method.flatMap { Self.methods.firstIndex(of: $0) } ?? Self.methods.count
        let place = route * (Self.methods.count + 1)
        let index = isAnswered[place + column] ? place + column : place + Self.methods.count
        series.withLock { series in
            if series[index] == nil { series[index] = makeSeries(route, index - place) }
            series[index]?.classes[Int(min(max(status / 100, 1), 5))] += 1
            series[index]?.durations.observe(nanoseconds: nanoseconds)
        }
    }

    /// What was counted so far, in the order of the routes.
    var all: [Series] { series.withLock { $0.compactMap(\.self) } }

    private func makeSeries(_ route: Int, _ column: Int) -> Series {
        Series(
            route: route < patterns.paths.count ? patterns.paths[route] : Self.unmatched,
            method: column < Self.methods.count ? Self.methods[column].rawValue : Self.otherMethod)
    }
}
