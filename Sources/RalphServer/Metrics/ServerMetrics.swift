import Foundation
import RalphFeed
import RalphWire
import Synchronization

/// Gathers what `/metrics` shows.
///
/// It reads the counters that are there already, which `/api/health` shows too, and writes them with
/// ``MetricsText``. Going through swift-metrics would need a factory, handlers and an encoder of our own all the
/// same, and would count everything twice, once for each of the two reports.
struct ServerMetrics: Sendable {
    let health: ServerHealth
    let requests: RequestFigures
    let ingest: IngestFigures
    let limits: LimitCounters
    /// `nil`: the server speaks plain HTTP.
    let tls: TLSSetup?

    /// The whole text; reads files of the system, so not for an event loop.
    func text() -> [UInt8] {
        let report = health.report()
        var text = MetricsText()
        text.family("build_info", .gauge, "1; the version is in its label.")
        text.sample("build_info", [("version", report.version)], 1)
        addProcess(to: &text)
        if let tls {
            text.add(
                "tls_certificate_end_seconds", .gauge,
                "When the time of the served certificate ends, in seconds since 1970.",
                tls.end.timeIntervalSince1970)
        }
        addStore(report, to: &text)
        addDiscovery(report, to: &text)
        addStreams(to: &text)
        addLimits(to: &text)
        addNotes(report.control_notes, to: &text)
        addControl(report.control, to: &text)
        addLosses(report, to: &text)
        if let search = report.search { addSearch(search, to: &text) }
        addIngest(to: &text)
        addRequests(to: &text)
        return text.bytes
    }

    private func addProcess(to text: inout MetricsText) {
        let process = ServerProcess()
        if let value = process.residentBytes {
            text.add("process_resident_memory_bytes", .gauge, "Resident memory of this process.", value)
        }
        if let value = process.processorSeconds {
            text.add("process_cpu_seconds_total", .counter, "Processor time of this process.", value)
        }
        if let value = process.startSeconds {
            text.add(
                "process_start_time_seconds", .gauge, "When this process began, in seconds since 1970.", value
            )
        }
        if let value = process.openDescriptors {
            text.add("process_open_fds", .gauge, "Descriptors open now.", value)
        }
        if let value = process.maximumDescriptors {
            text.add("process_max_fds", .gauge, "Descriptors that may be open.", value)
        }
    }

    private func addStore(_ report: ServerHealth.Report, to text: inout MetricsText) {
        text.add(
            "store_writable", .gauge,
            "1 if the last events and commands could be stored and no damage was met since the start, else 0.",
            report.store == "ok" ? 1 : 0)
        text.add(
            "reading", .gauge,
            "1 if sessions' files are read as they come; 0 if a file system below a root does not answer, or the first"
                + " look at the roots takes long.",
            report.reading == "ok" ? 1 : 0)
        text.add(
            "store_last_global_id", .gauge, "The global id of the newest event.", report.last_global_id)
    }

    private func addDiscovery(_ report: ServerHealth.Report, to text: inout MetricsText) {
        text.add("sessions", .gauge, "Sessions that are listed.", report.sessions)
        guard let discovery = report.discovery else { return }
        text.add(
            "discovery_directories", .gauge, "Directories that the last scan looked at.",
            discovery.directories)
        text.add(
            "discovery_unreadable_directories", .gauge, "Directories that the last scan could not read.",
            discovery.unreadable_count)
        text.add(
            "discovery_skipped_links", .gauge, "Links that the last scan did not follow.",
            discovery.skipped_links)
        text.add(
            "discovery_polled_sessions", .gauge,
            "Sessions that are polled, since inotify does not tell all that happens in their directories.",
            discovery.polled_sessions)
        text.add(
            "discovery_unwatched_directories", .gauge,
            "Other directories, and missing roots, of which inotify alone does not tell.",
            discovery.unwatched_directories)
        text.add(
            "discovery_truncated", .gauge,
            "1 if there are more sessions or directories than may be followed, else 0.",
            discovery.truncated ? 1 : 0)
        text.add(
            "discovery_inotify_available", .gauge, "1 if inotify works, else 0.",
            discovery.inotify == "ok" ? 1 : 0)
        text.add(
            "discovery_scan_duration_seconds", .gauge, "How long the last scan took.",
            Double(discovery.scan_ms) / 1000)
    }

    private func addNotes(_ notes: ServerHealth.Report.Notes, to text: inout MetricsText) {
        text.add(
            "control_notes_waiting", .gauge,
            "Notes of control, and requests to read a session to its end, that wait.", notes.waiting)
        text.family(
            "control_notes_total", .counter,
            "Notes of control, and requests to read a session to its end; a late one may be posted after all."
        )
        for (outcome, count) in [
            ("posted", notes.posted), ("late", notes.late), ("refused", notes.refused),
            ("unknown", notes.unknown),
        ] { text.sample("control_notes_total", [("outcome", outcome)], count) }
    }

    private func addLosses(_ report: ServerHealth.Report, to text: inout MetricsText) {
        text.add(
            "questions_lost_total", .counter,
            "Questions that could not be stored, and events of questions that could not be told.",
            report.lost_questions)
        text.add(
            "request_ends_lost_total", .counter, "Ends of keyed requests that were neither stored nor kept.",
            report.lost_request_ends)
        text.add(
            "outcomes_lost_total", .counter, "Outcomes of commands that were neither stored nor kept.",
            report.lost_outcomes)
        text.add(
            "signals_untold_total", .counter, "Signals not told, since a session told too many.",
            report.untold_signals)
        text.add(
            "tasks_unguarded_total", .counter,
            "New tasks that were not looked after: too many were, or somebody kept their file's lock.",
            report.unguarded_tasks)
        text.add(
            "audit_dropped_total", .counter,
            "Entries of the audit log that were dropped, since too many waited to be written.",
            report.audit_dropped)
        text.add(
            "audit_failures_total", .counter, "Attempts to write the audit log that failed.",
            report.audit_failures)
        text.add(
            "log_dropped_total", .counter, "Lines that standard error or output did not take, or not whole.",
            report.log_dropped)
    }

    private func addSearch(_ search: ServerHealth.Report.Search, to text: inout MetricsText) {
        text.add(
            "search_indexed_total", .counter, "Events that were taken into the search index.", search.indexed)
        text.add(
            "search_behind", .gauge, "How far the search index is behind the newest event, in global ids.",
            search.behind)
        text.add(
            "search_skipped_total", .counter,
            "Events that left their session's ring before they were indexed.",
            search.skipped)
        text.add(
            "search_rebuilt_total", .counter,
            "Times that an unfit or damaged search index was thrown away and made anew.", search.rebuilt)
    }

    private func addControl(_ control: ControlReport, to text: inout MetricsText) {
        text.family(
            "runs_at_start", .gauge,
            "Runs found at the start, one in several states if need be; orphan: agents without a ralph."
        )
        for (state, count) in [
            ("adopted", control.adopted), ("running", control.running), ("paused", control.paused),
            ("ended_while_away", control.ended_while_away), ("orphan", control.orphans),
        ] { text.sample("runs_at_start", [("state", state)], count) }
        text.add(
            "run_output_freed_bytes_total", .counter,
            "Bytes of runs' output that were given back to the disk.",
            control.output_freed_bytes)
        text.add(
            "run_output_uncapped_total", .counter,
            "Times that output beyond its cap could not be given back.",
            control.output_uncapped)
    }
}
