import RalphFeed
import RalphWire

/// Reading the query string of a search.
extension SearchRequest {
    /// Length of a hat's name, in bytes.
    static let maximumHatBytes = 200

    /// - Throws: ``Problem`` 400 for values that are none, 404 for a session that is not there.
    init(
        _ query: String?, catalogue: SessionCatalogue, epoch: String, now: Int64,
        deadline: ContinuousClock.Instant
    ) throws(Problem) {
        let items = try QueryItems(query)
        do {
            self.init(try SearchQuery(items["q"] ?? ""), deadline: deadline)
        } catch {
            throw .init(error)
        }
        if let text = items["session"] { session = try catalogue.resolve(text[...]) }
        if let text = items["hat"] {
            guard (1...Self.maximumHatBytes).contains(text.utf8.count) else {
                throw .invalidRequest("hat must have 1 to \(Self.maximumHatBytes) bytes")
            }
            hat = text
        }
        since = try Self.time(items, "since", now: now)
        until = try Self.time(items, "until", now: now)
        if let text = items["before"] {
            guard let place = Self.place(text, epoch: epoch) else {
                throw .invalidRequest("before is no page token of this store")
            }
            before = place
        }
        limit = Int(try items.integer("limit", in: Self.limits) ?? 50)
        let topics = try items.topics()
        guard !topics.isEmpty else { return }
        wantsTopic = { topic in topics.contains { $0.matches(topic[...]) } }
        let indexed = try items.topics { glob in
            String(String.UnicodeScalarView(glob.unicodeScalars.map { Self.isControl($0) ? " " : $0 }))
        }
        wantsIndexedTopic = { topic in indexed.contains { $0.matches(topic[...]) } }
    }

    /// What the index has a space for.
    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || scalar.value == 0x7F
    }

    /// The token of the page behind `globalID`; numbers of another store mean nothing, so it names the epoch.
    static func token(_ globalID: Int64, epoch: String) -> String { "\(epoch)-\(globalID)" }

    private static func place(_ token: String, epoch: String) -> Int64? {
        let halves = token.split(separator: "-", omittingEmptySubsequences: false)
        guard halves.count == 2, halves[0] == epoch, halves[1].utf8.allSatisfy({ (48...57).contains($0) })
        else { return nil }
        return Int64(halves[1])
    }

    private static func time(_ items: QueryItems, _ name: String, now: Int64) throws(Problem) -> Int64? {
        guard let text = items[name], text != "all" else { return nil }
        guard let time = PointInTime.parse(text, now: now) else {
            throw .invalidRequest("\(name) must be all, a duration such as 10m, a unix time or a timestamp")
        }
        return time
    }
}
