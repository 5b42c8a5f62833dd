import Logging
import RalphFeed
import RalphTestSupport
import RalphWire

extension TemporaryDirectory {
    /// What a store's files add to its name that a crash leaves.
    static let crashSuffixes = ["", "-wal", ".journal"]

    /// The files of the store as a crash would leave them now, as a store of its own.
    ///
    /// - Parameter origin: whose files; those of a crash do not change any more.
    func crashed(_ name: String, of origin: String = "state") throws -> FeedConfiguration {
        for suffix in Self.crashSuffixes {
            try copy("\(origin)/feed.sqlite" + suffix, to: "crash-\(name)/feed.sqlite" + suffix)
        }
        return FeedConfiguration.copy(of: settings(self), at: path + "/crash-\(name)/feed.sqlite")
    }

    /// Has every write into the tables fail, or work again.
    func setTables(failing: Bool) throws {
        try execute(
            failing
                ? "CREATE TRIGGER no BEFORE INSERT ON meta BEGIN SELECT RAISE(ABORT, 'no'); END"
                : "DROP TRIGGER no")
    }
}

/// Appends that bring everything an append can bring, now and then a large one.
struct AnyAppends {
    private var random: SeededGenerator
    private var count = 0

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    mutating func next() -> [SessionAppend] {
        (0..<Int.random(in: 1...3, using: &random)).map { _ in one() }
    }

    private mutating func one() -> SessionAppend {
        count += 1
        let isLarge = Int.random(in: 0..<40, using: &random) == 0
        let events = isLarge ? 120 : Int.random(in: 0...5, using: &random)
        let padding = isLarge ? 900 : Int.random(in: 0...300, using: &random)
        var batch = batch(events, first: count, padding: padding)
        if Bool.random(using: &random) { batch.add(payload: "server \(count)", place: nil) }
        var append = append(
            batch, to: UInt64.random(in: 1...2, using: &random),
            checkpoints: Bool.random(using: &random) ? ["a": [UInt8(count & 255)], "b": []] : ["b": [1, 2]],
            state: Bool.random(using: &random) ? Array("{\"count\":\(count)}".utf8) : nil)
        if Bool.random(using: &random) {
            append.figures.change(at: Int64(count) * 3_600_000) { $0.iterations += 1 }
        }
        return append
    }
}

/// What a feed knows, with its figures, and how far its index of places reaches.
struct KnownWhole: Equatable {
    var known: Known
    let figures: [Int64]
    let places: Int64

    init(_ feed: EventFeed) throws {
        known = try Known(feed)
        figures = try feed.figures(of: session(1)).sorted.flatMap { [$0.day, $0.figures.iterations] }
        let segments = try feed.archiveSegments(session(1), from: 1, through: .max)
        places = segments.reduce(0) { $0 + $1.count }
    }
}
