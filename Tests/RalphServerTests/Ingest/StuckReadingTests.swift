import Foundation
import RalphFeed
import RalphSessions
import RalphTestSupport
import RalphWire
import Synchronization
import Testing

@testable import RalphServer

/// Files that the ingest thread waits for, as on a file system that does not answer.
@Suite(.timeLimit(.minutes(1)))
struct StuckReadingTests {
    /// Keeps the ingest thread while it is closed.
    private final class Gate: Sendable {
        let isClosed = Atomic(false)
        let isKeeping = Atomic(false)
        let opened = DispatchSemaphore(value: 0)

        func pass() {
            guard isClosed.load(ordering: .acquiring) else { return }
            isKeeping.store(true, ordering: .releasing)
            opened.wait()
        }

        func open() {
            isClosed.store(false, ordering: .releasing)
            opened.signal()
        }
    }

    private static let justUnder = IngestTurn.longest - 5_000_000_000
    private static let over = IngestTurn.longest + 1_000_000_000

    @Test func `reading that does not come on is told until it does`() async throws {
        let gate = Gate()
        try await withIngest {
            $0.discovery.rescanInterval = .milliseconds(50)
            $0.discovery.workspaces = {
                gate.pass()
                return []
            }
        } _: { scene in
            defer { gate.open() }
            let readiness = Readiness(catalogue: scene.catalogue, feed: scene.feed)
            #expect(readiness.report().reasons == [])
            gate.isClosed.store(true, ordering: .releasing)
            try await eventually(within: .seconds(20), "a thread that waits") {
                gate.isKeeping.load(ordering: .acquiring)
            }
            #expect(readiness.report().reasons == [])
            let report = readiness.report(at: UptimeClock.nanoseconds() + Self.over)
            #expect(report.reasons == ["reading"] && report.status == "unready")

            gate.open()
            try await eventually(within: .seconds(20), "another turn") {
                readiness.report(at: UptimeClock.nanoseconds() + Self.justUnder).reasons == []
            }
        }
    }

    @Test func `a long first look and a store that cannot be written are told as what they are`() {
        let catalogue = SessionCatalogue()
        let now = UptimeClock.nanoseconds() + Self.over
        catalogue.turn.begin()
        #expect(Readiness(catalogue: catalogue).report(at: now).reasons == ["scanning"])
        catalogue.isFirstLookLate = true
        #expect(Readiness(catalogue: catalogue).report(at: now).reasons == ["scanning", "reading"])
        catalogue.isFirstLookLate = false
        catalogue.note(DiscoveryReport())
        #expect(Readiness(catalogue: catalogue).report(at: now).reasons == ["reading"])
        // Whatever runs do then, nobody hears of it.
        #expect(catalogue.isBlind(at: now) && !catalogue.isBlind())
        catalogue.storeProblem = "full"
        #expect(Readiness(catalogue: catalogue).report(at: now).reasons == ["store"])
        catalogue.storeProblem = nil
        catalogue.turn.end()
        #expect(Readiness(catalogue: catalogue).report(at: now).reasons == [])
    }
}
