import RalphFeed
import RalphSessions
import RalphWire
import Synchronization

/// Gathers the health report from those who know.
struct ServerHealth: Sendable {
    /// The report of http-contract 2, and everything that somebody may have to act on.
    struct Report: Encodable, Sendable {
        struct Streams: Encodable, Sendable {
            let open: Int
            let opened: Int
            let lagged: Int
            let stalled: Int
            let gaps: Int
            let overflowed: Int
            let refused_connections: Int
            let untaken_answers: Int
        }

        struct Notes: Encodable, Sendable {
            let waiting: Int
            let posted: Int
            let late: Int
            let refused: Int
            let unknown: Int
        }

        struct Discovery: Encodable, Sendable {
            let roots: [String]
            let directories: Int
            let unreadable: [String]
            let unreadable_count: Int
            let skipped_links: Int
            let polled_sessions: Int
            let unwatched_directories: Int
            let truncated: Bool
            let inotify: String
            let scan_ms: Int64
        }

        struct Search: Encodable, Sendable {
            let mode: String?
            let indexed: Int64
            let indexed_through: Int64
            let behind: Int64
            let skipped: Int64
            let rebuilt: Int64
            let problem: String?
        }

        let status: String
        let version: String
        let timestamp: String
        let uptime_secs: Int64
        let sessions: Int
        let auth_required: Bool
        let epoch: String
        let store: String
        let reading: String
        let last_global_id: Int64
        let streams: Streams
        let control_notes: Notes
        let discovery: Discovery?
        let control: ControlReport
        /// Events of questions that could not be told, and questions that could not be stored.
        let lost_questions: Int
        /// Ends of requests with an `Idempotency-Key` that were neither stored nor remembered.
        let lost_request_ends: Int
        /// Outcomes of commands that were neither stored nor remembered.
        let lost_outcomes: Int
        /// Signals that were not told because their session had told too many.
        let untold_signals: Int
        /// New tasks that were not looked after because too many were, or because somebody kept their file's lock.
        let unguarded_tasks: Int
        let search: Search?
        /// Entries of the audit log that were not written, since the disk took none for long.
        let audit_dropped: Int
        /// Attempts to write the audit log that failed.
        let audit_failures: Int
        /// Lines that standard error or standard output did not take.
        let log_dropped: Int
    }

    let feed: EventFeed
    let catalogue: SessionCatalogue
    let counters: StreamCounters
    let isKeyRequired: Bool
    let startedAt: ContinuousClock.Instant
    let control: ControlService
    let questions: QuestionBook
    let sentinels: SentinelWatch
    let taskKeeper: TaskKeeper
    let search: SearchService?
    let audit: AuditLog

    func report() -> Report {
        let readiness = Readiness(catalogue: catalogue, feed: feed)
        let (storeProblem, readingProblem) = (readiness.storeProblem?.details, readiness.readingProblem)
        return Report(
            status: storeProblem == nil && readingProblem == nil ? "ok" : "degraded",
            version: ServerVersion.text,
            timestamp: Timestamp.text(WallClock.milliseconds()),
            uptime_secs: (ContinuousClock.now - startedAt).components.seconds, sessions: catalogue.count,
            auth_required: isKeyRequired, epoch: feed.epoch, store: storeProblem ?? "ok",
            reading: readingProblem ?? "ok",
            last_global_id: feed.globalHead,
            streams: .init(
                open: counters.open.load(ordering: .relaxed),
                opened: counters.opened.load(ordering: .relaxed),
                lagged: counters.lagged.load(ordering: .relaxed),
                stalled: counters.stalled.load(ordering: .relaxed),
                gaps: counters.gaps.load(ordering: .relaxed),
                overflowed: counters.overflowed.load(ordering: .relaxed),
                refused_connections: counters.refusedConnections.load(ordering: .relaxed),
                untaken_answers: counters.untakenAnswers.load(ordering: .relaxed)),
            control_notes: notes(), discovery: catalogue.report.map(Self.discovery),
            control: control.report.withLock { $0 },
            lost_questions: questions.losses.load(ordering: .relaxed),
            lost_request_ends: feed.ledger.lostRequestEnds,
            lost_outcomes: feed.ledger.lostOutcomes,
            untold_signals: sentinels.suppressed.load(ordering: .relaxed),
            unguarded_tasks: taskKeeper.unguarded,
            search: search.map { Self.search($0.report) },
            audit_dropped: audit.dropped.load(ordering: .relaxed),
            audit_failures: audit.failures.load(ordering: .relaxed),
            log_dropped: StandardStream.dropped.load(ordering: .relaxed))
    }

    private func notes() -> Report.Notes {
        let counters = catalogue.noteCounters
        return .init(
            waiting: counters.waiting.load(ordering: .relaxed),
            posted: counters.posted.load(ordering: .relaxed), late: counters.late.load(ordering: .relaxed),
            refused: counters.refused.load(ordering: .relaxed),
            unknown: counters.unknown.load(ordering: .relaxed))
    }

    private static func search(_ report: SearchReport) -> Report.Search {
        .init(
            mode: report.mode?.rawValue, indexed: report.indexed, indexed_through: report.indexedThrough,
            behind: report.behind, skipped: report.skipped, rebuilt: report.rebuilt, problem: report.problem)
    }

    private static func discovery(_ report: DiscoveryReport) -> Report.Discovery {
        .init(
            roots: report.roots, directories: report.directories,
            unreadable: report.unreadable.map { "\($0.path): \($0.reason)" },
            unreadable_count: report.unreadableCount, skipped_links: report.skippedLinks,
            polled_sessions: report.polled.count, unwatched_directories: report.unwatchedDirectories,
            truncated: report.isTruncated, inotify: report.inotifyUnavailable ?? "ok",
            scan_ms: report.duration.milliseconds)
    }
}
