import RalphFeed

/// Whether requests can be answered with what is true: `/readyz` tells it to whoever directs them.
struct Readiness: Sendable {
    /// What is told; when something is missing it is an error body too (http-contract 1.2).
    struct Report: Encodable, Sendable, Equatable {
        /// `ready` or `unready`.
        let status: String
        /// Words for programs: `scanning`, `store`, `reading`.
        let reasons: [String]
        let error: String?
        let code: String?
        let details: String?
    }

    let catalogue: SessionCatalogue
    /// Whose damage and whose ledger's problem are told.
    var feed: EventFeed?

    /// What is told where files are not read on.
    static let stuckReading =
        "Sessions have not been read for 30 s: a file system below a root may not answer."

    private static let scanning = "The first look at the roots is not over."

    /// Why files are not read as they come; `nil`: they are, or the server waits for its first look at them.
    var readingProblem: String? {
        if catalogue.isReadingStuck(at: UptimeClock.nanoseconds()) { return Self.stuckReading }
        return catalogue.isFirstLookLate ? Self.scanning : nil
    }

    /// What is wrong with the store, for those who may watch and for everybody; `nil`: nothing.
    var storeProblem: (details: String, sentence: String)? {
        if let details = catalogue.storeProblem { return (details, "Events cannot be stored.") }
        if let damage = feed?.damage { return (damage.description, "The event store is damaged or gone.") }
        return feed?.ledger.problem.map { ($0.description, "Commands cannot be put on record.") }
    }

    /// What is so now. Nothing of the inside is told, since no key is asked for.
    ///
    /// - Parameter now: by ``UptimeClock/nanoseconds()``.
    func report(at now: Int64 = UptimeClock.nanoseconds()) -> Report {
        var reasons: [(word: String, sentence: String)] = []
        if catalogue.report == nil || catalogue.isFirstLookLate {
            reasons.append(("scanning", Self.scanning))
        }
        if let storeProblem { reasons.append(("store", storeProblem.sentence)) }
        if catalogue.isReadingStuck(at: now) { reasons.append(("reading", Self.stuckReading)) }
        let isReady = reasons.isEmpty
        return Report(
            status: isReady ? "ready" : "unready", reasons: reasons.map(\.word),
            error: isReady ? nil : "not_ready", code: isReady ? nil : "UNAVAILABLE",
            details: isReady ? nil : reasons.map(\.sentence).joined(separator: " "))
    }
}
