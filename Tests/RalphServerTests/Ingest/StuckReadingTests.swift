import Foundation
import RalphControl
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

    @Test func `what control tells waits for no stuck reading, and comes in order behind it`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.write("a/.ralph/events.jsonl", RunningServer.lines(1...3, when: true))
            let gate = ThreadGate(within: .seconds(40))
            try await withServerParts(
                in: directory,
                {
                    $0.readingPatience = .milliseconds(200)
                    $0.fileSystem = { path in
                        if path.hasSuffix("/held") { gate.pass() }
                        return .local
                    }
                }
            ) { server, parts in
                defer { gate.open() }
                let text = try await server.waitForSession("a", events: 3)
                let id = try #require(SessionID(text))
                try directory.write("held/x", "")
                try await eventually(within: .seconds(20), "reading that does not come on") {
                    gate.kept > 0 && parts.catalogue.isBlind()
                }
                try server.append("a", 4...4)
                let reports = parts.control.reports(of: id)
                await reports.readToEnd(id)
                await reports.note(id, .event(type: "noted", payload: "{}", at: 1_795_231_236_000))
                // Nobody gave up waiting.
                #expect(parts.catalogue.noteCounters.late.load(ordering: .relaxed) == 0)
                #expect(!gate.isOpen)

                gate.open()
                try await eventually(within: .seconds(20), "both") {
                    try await server.topics(text).suffix(2) == ["note.even", "noted"]
                }
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
