import Foundation
import RalphSessions
import RalphTestSupport
import RalphWire
import Testing

@testable import RalphServer

@Suite(.timeLimit(.minutes(1)))
struct MetricsTests {
    /// The figures of a server that has been asked a few things.
    private func withFigures(
        _ targets: [String],
        _ body: @Sendable @escaping (ExpositionReader, RunningServer) async throws -> Void
    ) async throws {
        try await withServer { server in
            _ = try await server.session("a", lines: 3)
            for target in targets { _ = try await server.get(target) }
            let response = try await server.get("/metrics")
            #expect(response.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8")
            #expect(response.headers["cache-control"] == "no-store")
            try await body(try ExpositionReader(response.text), server)
        }
    }

    @Test func `the text is right by the grammar of its format`() async throws {
        try await withFigures(["/health", "/api/sessions", "/nothing", "/api/events?tail=x"]) { text, _ in
            #expect(text.families.count > 20)
            for (name, family) in text.families {
                #expect(name.hasPrefix("ralph_mobile_"))
                #expect(family.help?.isEmpty == false)
                #expect(family.type != nil)
                #expect(name.hasSuffix("_total") == (family.type == "counter"))
                let series = family.samples.map { sample in
                    sample.name
                        + sample.labels.map { "\($0.name)=\($0.value)" }.sorted().joined(separator: ",")
                }
                #expect(Set(series).count == series.count)
                #expect(family.samples.allSatisfy { Set($0.labels.map(\.name)).count == $0.labels.count })
                if family.type == "counter" { #expect(family.samples.allSatisfy { $0.value >= 0 }) }
            }
        }
    }

    @Test func `buckets add up to the count`() async throws {
        try await withFigures(["/health", "/api/sessions"]) { text, _ in
            for (name, family) in text.families where family.type == "histogram" {
                let groups = Dictionary(grouping: family.samples) { sample in
                    sample.labels.filter { $0.name != "le" }.map { "\($0.name)=\($0.value)" }.sorted()
                }
                #expect(!groups.isEmpty)
                for samples in groups.values {
                    let buckets = samples.filter { $0.name == name + "_bucket" }
                    let bounds = buckets.compactMap { Double($0["le"]?.replacing("+Inf", with: "inf") ?? "") }
                    #expect(bounds == bounds.sorted() && Set(bounds).count == buckets.count)
                    #expect(buckets.map(\.value) == buckets.map(\.value).sorted())
                    #expect(buckets.last?["le"] == "+Inf")
                    #expect(buckets.last?.value == samples.first { $0.name == name + "_count" }?.value)
                    #expect(samples.count { $0.name == name + "_sum" } == 1)
                }
            }
        }
    }

    @Test func `requests are counted by their route, however it is spelled`() async throws {
        let id = "0123456789abcdef"
        let targets = [
            "/api/sessions/\(id)/status", "/api/sessions/ffff/status?x=\(id)", "//api//sessions",
            "/api/sessions",
            "/livez", "/made-up-1", "/made-up-2", "/made-up-2/\(id)",
        ]
        try await withFigures(targets) { text, _ in
            let samples = text.families["ralph_mobile_http_requests_total"]?.samples ?? []
            func count(_ route: String, _ status: String) -> Double? {
                samples.first { $0["route"] == route && $0["method"] == "GET" && $0["status"] == status }?
                    .value
            }

            #expect(count("/api/sessions/{id}/status", "4xx") == 2)
            #expect(count("/api/sessions", "2xx") ?? 0 >= 2)
            #expect(count("/livez", "2xx") == 1)
            #expect(count("unmatched", "4xx") == 3)
            #expect(
                samples.allSatisfy {
                    !($0["route"] ?? "").contains(id) && !($0["route"] ?? "").contains("made")
                })
        }
    }

    @Test func `streams, refusals, strange methods and what is no HTTP are counted`() async throws {
        try await withServer { server in
            let stream = try await server.stream("/api/events")
            for request in ["BREW /health HTTP/1.1\r\nHost: localhost\r\n\r\n", "\0\0\r\n\r\n"] {
                let probe = try server.probe()
                try await probe.send(request)
                _ = try await probe.response()
            }
            let text = try ExpositionReader(try await server.get("/metrics").text)
            let samples = text.families["ralph_mobile_http_requests_total"]?.samples ?? []

            #expect(samples.contains { $0["route"] == "/api/events" && $0["status"] == "2xx" })
            #expect(samples.contains { $0["method"] == "OTHER" && $0["status"] == "4xx" })
            #expect(text.families["ralph_mobile_streams_open"]?.samples.first?.value == 1)
            #expect(text.families["ralph_mobile_connections_open"]?.samples.first?.value ?? 0 >= 2)
            stream.close()
        }
    }

    @Test func `events are counted by where they come from`() async throws {
        try await withFigures([]) { text, server in
            let family = text.families["ralph_mobile_events_stored_total"]
            #expect(family?.samples.map { $0["origin"] } == ["engine", "agent", "server", "user"])
            #expect(family?.samples.first?.value ?? 0 >= 3)
            let appends = text.families["ralph_mobile_append_duration_seconds"]?.samples
            #expect(appends?.last?.value ?? 0 >= 1)
        }
    }

    @Test func `lines that cannot be read are counted since the start, and by their session for good`()
        async throws
    {
        try await withTemporaryDirectory { directory in
            let giant = String(repeating: "x", count: 2 << 20)
            try directory.write("a/.ralph/events.jsonl", "nonsense\n\(giant)\n{\"topic\": 1\n")
            try directory.append("a/.ralph/events.jsonl", RunningServer.lines(1...1, when: true))
            for skipped in [(2.0, 1.0), (0, 0)] {
                try await withServer(in: directory) { server in
                    let id = try await server.waitForSession("a", events: 3)
                    let session = try await server.get("/api/sessions/\(id)/status").object()
                    #expect(session["malformed_lines"] as? Int == 2 && session["overlong_lines"] as? Int == 1)

                    let text = try ExpositionReader(try await server.get("/metrics").text)
                    let samples = text.families["ralph_mobile_lines_skipped_total"]?.samples ?? []
                    #expect(samples.map { $0["reason"] } == ["malformed", "overlong"])
                    #expect(samples.map(\.value) == [skipped.0, skipped.1])
                }
            }
        }
    }

    @Test func `reading that stands still is told`() async throws {
        try await withTemporaryDirectory { directory in
            try await withServerParts(in: directory) { server, parts in
                #expect(try await server.figure("reading") == 1)
                // Every turn takes longer than this one may.
                let catalogue = SessionCatalogue(turn: IngestTurn(limit: .milliseconds(-1)))
                catalogue.note(DiscoveryReport())
                catalogue.turn.begin()
                let health = ServerHealth(
                    feed: parts.feed, catalogue: catalogue, counters: parts.counters, isKeyRequired: false,
                    startedAt: .now, control: parts.control, questions: parts.questions,
                    sentinels: parts.sentinels, taskKeeper: parts.taskKeeper, search: parts.search,
                    audit: parts.audit)
                let metrics = ServerMetrics(
                    health: health, requests: RequestFigures(RouteTable()), ingest: IngestFigures(),
                    limits: LimitCounters(), tls: nil)
                let text = try ExpositionReader(String(decoding: metrics.text(), as: UTF8.self))

                #expect(text.families["ralph_mobile_reading"]?.samples.map(\.value) == [0])
                #expect(text.families["ralph_mobile_tls_certificate_end_seconds"] == nil)
            }
        }
    }

    @Test func `the end of the certificate is told`() async throws {
        try await withTemporaryDirectory { directory in
            try await withServerParts(in: directory, { $0.tls = .selfSigned }) { server, parts in
                let probe = try await HTTP2Probe(port: server.port)
                let text = try ExpositionReader(try await probe.get("/metrics").text)
                let family = text.families["ralph_mobile_tls_certificate_end_seconds"]

                let end = try #require(parts.tls).end.timeIntervalSince1970
                #expect(family?.samples.map(\.value) == [end])
                #expect(family?.samples.first?.value ?? 0 > Date().timeIntervalSince1970)
            }
        }
    }

    @Test func `everything that health counts is there`() async throws {
        try await withFigures([]) { text, _ in
            for name in [
                "streams_opened_total", "streams_lagged_total", "streams_stalled_total", "stream_gaps_total",
                "stream_inbox_overflows_total", "stream_loop_wakeups_total", "connections_refused_total",
                "control_notes_total",
                "connections_untaken_total", "questions_lost_total", "request_ends_lost_total",
                "outcomes_lost_total", "signals_untold_total",
                "tasks_unguarded_total", "search_indexed_total", "search_behind", "search_skipped_total",
                "search_rebuilt_total", "audit_dropped_total", "audit_failures_total", "log_dropped_total",
                "control_notes_waiting", "sessions", "store_writable", "reading", "store_last_global_id",
                "runs_at_start",
                "run_output_freed_bytes_total", "run_output_uncapped_total", "discovery_directories",
                "process_resident_memory_bytes", "process_open_fds", "process_start_time_seconds",
                "build_info",
            ] { #expect(text.families["ralph_mobile_" + name]?.samples.isEmpty == false, "\(name)") }
        }
    }
}
