import RalphSessions
import RalphWire
import Synchronization

/// What comes and goes.
extension ServerMetrics {
    func addStreams(to text: inout MetricsText) {
        let counters = health.counters
        func value(_ counter: borrowing Atomic<Int>) -> Int { counter.load(ordering: .relaxed) }
        text.add("streams_open", .gauge, "Streams open now.", value(counters.open))
        text.add("streams_opened_total", .counter, "Streams opened.", value(counters.opened))
        text.add(
            "streams_lagged_total", .counter,
            "Times that a stream that had every event could not take the next one at once.",
            value(counters.lagged))
        text.add(
            "streams_stalled_total", .counter, "Streams cut, since their client took nothing for too long.",
            value(counters.stalled))
        text.add(
            "stream_gaps_total", .counter,
            "Gaps that streams told their clients of: events that are not kept any more.",
            value(counters.gaps))
        text.add(
            "stream_inbox_overflows_total", .counter,
            "Times that an event loop's inbox was full, so that its streams went on from their cursors.",
            value(counters.overflowed))
        text.add(
            "stream_loop_wakeups_total", .counter, "Times that an event loop was told of new events.",
            value(counters.wakeups))
        text.add("connections_open", .gauge, "Connections open now.", value(counters.connections))
        text.add(
            "connections_accepted_total", .counter, "Connections accepted, without those that were refused.",
            value(counters.accepted))
        text.add(
            "connections_refused_total", .counter, "Connections refused, since too many were open in all.",
            value(counters.refusedConnections))
        text.add(
            "connections_untaken_total", .counter,
            "Connections that were to stay open and were cut, since an answer was not taken.",
            value(counters.untakenAnswers))
    }

    func addLimits(to text: inout MetricsText) {
        text.family(
            "limited_requests_total", .counter,
            "Requests answered 429, by the limit that was met; those for limits of pairing are not counted.")
        for (limit, count) in limits.all { text.sample("limited_requests_total", [("limit", limit)], count) }
        text.add(
            "held_guesses_total", .counter,
            "Requests with a wrong key, token or ticket whose answer was held back.",
            limits.heldGuesses.load(ordering: .relaxed))
        text.add(
            "connections_limited_total", .counter, "Connections refused, since their address had too many.",
            limits.connections.load(ordering: .relaxed))
    }

    func addIngest(to text: inout MetricsText) {
        let figures = ingest.all
        text.family("events_stored_total", .counter, "Events stored, by where they come from.")
        for (origin, count) in zip(EventOrigin.allCases, figures.events) {
            text.sample("events_stored_total", [("origin", origin.rawValue)], count)
        }
        text.family(
            "append_duration_seconds", .histogram,
            "How long it took to record and publish what was read, by transaction.")
        text.histogram("append_duration_seconds", [], figures.appends)
        text.add(
            "append_failures_total", .counter,
            "Attempts to store a transaction that failed; each was tried again.", figures.failures)
        text.family(
            "lines_skipped_total", .counter,
            "Lines of sessions' files that were not read, or not whole, by what is wrong with them.")
        for (reason, count) in [
            ("malformed", figures.skipped.malformed), ("overlong", figures.skipped.overlong),
        ] { text.sample("lines_skipped_total", [("reason", reason)], count) }
    }

    func addRequests(to text: inout MetricsText) {
        let series = requests.all
        text.family("http_requests_total", .counter, "Answers, by route, method and class of the status.")
        for one in series {
            for (digit, count) in one.classes.enumerated() where count > 0 {
                text.sample(
                    "http_requests_total",
                    [("route", one.route), ("method", one.method), ("status", "\(digit)xx")], count)
            }
        }
        text.family(
            "http_request_duration_seconds", .histogram,
            "Time from the head of a request to that of its answer; 0 where no head could be read."
        )
        for one in series {
            text.histogram(
                "http_request_duration_seconds", [("route", one.route), ("method", one.method)], one.durations
            )
        }
    }
}
