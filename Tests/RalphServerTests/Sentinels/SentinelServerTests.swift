import Foundation
import RalphSessions
import RalphTestSupport
import Testing

@testable import RalphServer

@Suite(.timeLimit(.minutes(1)))
struct SentinelServerTests {
    private let session = DiscoveredSession(
        directory: SessionDirectory(path: "/w/.ralph", workspace: "/w", layout: .ralph))

    @Test func `a living run that repeats itself is told of on its stream, not in its file`() async throws {
        try await withServer({ $0.sentinels.repeats = 5 }) { server in
            let line = #"{"topic":"slice.built","ts":"2026-11-21T03:20:36Z","payload":"x"}"# + "\n"
            try server.root.write("a/.ralph/events.jsonl", String(repeating: line, count: 8))
            let lock = try server.root.holdLock(of: "a")
            let id = try await server.waitForSession("a", events: 8)
            for _ in 0..<6 { try server.root.append("a/.ralph/events.jsonl", line) }

            var event: [String: Any] = [:]
            try await eventually(within: .seconds(20), "the signal") {
                let page = try await server.get("/api/sessions/\(id)/history").object()
                let events = page["events"] as? [[String: Any]] ?? []
                event = events.first { $0["topic"] as? String == "sentinel.repeating" } ?? [:]
                return !event.isEmpty
            }
            #expect(event["source"] as? String == "server")
            #expect((event["data"] as? [String: Any])?["threshold"] as? Int == 5)
            let file = try String(
                contentsOfFile: server.root.path + "/a/.ralph/events.jsonl", encoding: .utf8)
            #expect(!file.contains("sentinel"))
            try lock.close()
        }
    }

    @Test func `a run is not silent while nothing can be stored and so nothing is read`() async throws {
        try await withIngest { scene in
            try scene.write("p", "events.jsonl", #"{"topic":"a.b","ts":"2026-01-01T00:00:00Z"}"# + "\n")
            let id = scene.id("p")
            try await eventually(within: .seconds(10), "the session") {
                scene.catalogue.entry(id)?.state.engineEvents == 1
            }
            let ports = SentinelPorts(catalogue: scene.catalogue, ingest: scene.ingest)
            #expect(ports.facts(id)?.isWaiting == false)
            scene.catalogue.storeProblem = "full"
            #expect(ports.facts(id)?.isWaiting == true)
        }
    }

    @Test func `a process that stays behind the end of its run is no run that stands still`() {
        var entry = CatalogueEntry(session: session)
        (entry.liveness.lockHeld, entry.liveness.lockStarted) = (true, 1000)
        #expect(SentinelFacts(entry, now: 9000).isAlive)
        (entry.state.endReason, entry.state.runEndedAt) = ("completed", 2000)
        #expect(!SentinelFacts(entry, now: 9000).isAlive)
        // Another one has the lock since.
        entry.liveness.lockStarted = 3000
        #expect(SentinelFacts(entry, now: 9000).isAlive)
    }

    @Test(arguments: [(nil, true), ("RObot: {enabled: true}", true), ("RObot: {enabled: false}", false)])
    func `a question excuses silence only where the run may wait for its answer`(
        config: String?, isExcused: Bool
    ) throws {
        var entry = CatalogueEntry(session: session)
        entry.liveness.lockHeld = true
        entry.state.iteration = 1
        entry.state.questions = [
            PendingQuestion(text: "Which?", askedAt: 1000, iteration: 1)
        ]
        entry.config = config.flatMap(WorkspaceConfig.init(yaml:))
        #expect(SentinelFacts(entry, now: 2000).isWaiting == isExcused)
    }

    @Test func `a question that the run does not wait for is no reason for its silence`() async throws {
        @Sendable func row(_ second: Int, _ iteration: Int, _ topic: String) -> String {
            let time = "2026-01-01T00:00:0\(second)Z"
            return
                #"{"ts":"\#(time)","iteration":\#(iteration),"hat":"loop","topic":"\#(topic)","payload":"x"}"#
                + "\n"
        }
        try await withIngest { scene in
            try scene.write(
                "p", "events.jsonl", row(0, 0, "task.start") + row(1, 1, "human.interact"))
            let id = scene.id("p")
            let ports = SentinelPorts(catalogue: scene.catalogue, ingest: scene.ingest)
            try await eventually(within: .seconds(20), "the question") { ports.facts(id)?.isWaiting == true }
            try scene.append("p", row(2, 1, "iteration.summary"))
            try await eventually(within: .seconds(20), "the next iteration") {
                ports.facts(id)?.iteration == 2 && ports.facts(id)?.isWaiting == false
            }
        }
    }

    @Test(arguments: [
        ("--sentinel-stall", 9), ("--sentinel-repeat", 1), ("--sentinel-gates", -1),
        ("--sentinel-tokens", 1_000_000_001),
    ])
    func `a threshold out of bounds ends the start`(flag: String, value: Int) throws {
        var flags = ServerConfiguration.Flags()
        switch flag {
        case "--sentinel-stall": flags.sentinelStallSeconds = value
        case "--sentinel-repeat": flags.sentinelRepeat = value
        case "--sentinel-gates": flags.sentinelGates = value
        default: flags.sentinelTokens = value
        }
        #expect(throws: ConfigurationProblem.self) { try ServerConfiguration(flags, environment: [:]) }
        do { _ = try ServerConfiguration(flags, environment: [:]) } catch {
            #expect(error.description.contains(flag))
        }
    }
}
