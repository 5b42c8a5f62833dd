import Foundation
import RalphControl
import RalphSessions
import RalphWire
import Testing

@testable import RalphServer

struct FigureObjectTests {
    private static let midnight: Int64 = 1_795_305_600_000
    private let session = DiscoveredSession(
        directory: SessionDirectory(path: "/w/.ralph", workspace: "/w", layout: .ralph))

    private func record(_ phase: RunRecord.Phase, pausedAt: Int64? = nil) -> RunRecord {
        var record = RunRecord(session: session.id, directory: session.directory.path)
        record.phase = phase
        record.startedAt = Self.midnight - 3_600_000
        record.pause = pausedAt.map { .init(requestedAt: $0, effectiveAt: $0, by: "me") }
        return record
    }

    @Test func `a pause over midnight is shared between its days`() {
        var run = StoredRun(record: record(.running))
        let begun = run.take(
            record(.suspended, pausedAt: Self.midnight - 60_000), elapsed: 0, now: Self.midnight - 59_000)
        #expect(begun.open.suspendedMilliseconds == Self.midnight - 60_000 && begun.sorted.isEmpty)
        #expect(run.take(record(.suspended), elapsed: 0, now: Self.midnight).isEmpty)

        let over = run.take(record(.running), elapsed: 0, now: Self.midnight + 90_000)
        #expect(over.sorted.map(\.figures.suspendedMilliseconds) == [60_000, 90_000])
        #expect(over.open.suspendedMilliseconds == -begun.open.suspendedMilliseconds)
    }

    @Test func `a run that is paused by its end is paused until it goes on`() {
        var run = StoredRun(record: record(.pausing))
        let begun = run.take(record(.halted), elapsed: 9000, now: Self.midnight)
        #expect(run.take(record(.resuming), elapsed: 9000, now: Self.midnight + 5000).isEmpty)
        let over = run.take(record(.running), elapsed: 9000, now: Self.midnight + 7000)

        #expect(begun.open.haltedMilliseconds == Self.midnight && begun.sorted.isEmpty)
        #expect(over.total.pausedMilliseconds == 7000 && over.total.workedMilliseconds == 0)
    }

    @Test func `what goes on is counted up to now without its pause`() {
        var figures = FigureDays()
        figures.addSpan(\.runMilliseconds, from: Self.midnight - 10_000, to: Self.midnight - 4000)
        figures.open(\.runMilliseconds, at: Self.midnight - 4000)
        figures.open(\.suspendedMilliseconds, at: Self.midnight + 1000)
        var entry = CatalogueEntry(session: session)
        entry.liveness.lockHeld = true
        figures.addOpen(entry, now: Self.midnight + 9000)

        #expect(figures.sorted.map(\.figures.workedMilliseconds) == [10_000, 1000])
        #expect(figures.total.pausedMilliseconds == 8000)
    }

    @Test func `a run that is gone is counted up to its last event`() {
        var figures = FigureDays()
        figures.open(\.runMilliseconds, at: Self.midnight)
        var entry = CatalogueEntry(session: session)
        entry.state.lastEventAt = Self.midnight + 2000
        figures.addOpen(entry, now: Self.midnight + 86_400_000)

        #expect(figures.total.runMilliseconds == 2000)
    }

    @Test func `more sessions than are listed are counted and said`() throws {
        var figures: [SessionID: FigureDays] = [:]
        for number in 1...UInt64(StatsObject.maximumSessions + 1) {
            figures[SessionID(digestPrefix: number), default: FigureDays()].addSpan(
                \.runMilliseconds, from: Self.midnight, to: Self.midnight + Int64(number))
        }
        let query = try StatsQuery("window=2d", now: Self.midnight + 5000)
        let stats = StatsObject(query, figures) { $0 == SessionID(digestPrefix: 2) ? "/w" : nil }

        #expect(stats.sessions.count == 500 && stats.session_count == 501 && stats.sessions_cut)
        #expect(stats.sessions.first?.id == SessionID(digestPrefix: 501).rawValue)
        #expect(
            stats.totals.worked_ms == 501 * 502 / 2 && stats.days.map(\.day) == ["2026-11-21", "2026-11-22"])
        let last = try JSONSerialization.jsonObject(with: Data(JSONResponse.text(stats.sessions[499])))
        #expect((last as? [String: Any])?["working_dir"] as? String == "/w")
        let first = String(decoding: try JSONResponse.text(stats.sessions[0]), as: UTF8.self)
        #expect(first.contains(#""working_dir":null"#))
    }

    @Test(arguments: [("24h", 2), ("1h", 1), ("30d", 30), ("48h", 3)])
    func `a window has the days that it touches`(window: String, days: Int) throws {
        let query = try StatsQuery("window=\(window)", now: Self.midnight + 12 * 3_600_000)
        #expect(query.days.count == days && query.days.upperBound == FigureDays.day(of: Self.midnight))
    }
}
