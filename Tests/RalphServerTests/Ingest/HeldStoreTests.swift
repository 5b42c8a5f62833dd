import Foundation
import RalphFeed
import RalphSessions
import RalphTestSupport
import Testing

@testable import RalphServer

/// A store that somebody else holds, so that nothing can be read of it, or written into it, for a while.
@Suite(.timeLimit(.minutes(2)))
struct HeldStoreTests {
    @Test func `what was read of a session is not read again when its store can be read again`() async throws
    {
        try await withIngest { scene in
            let row = #"{"payload":"x","topic":"a.b","ts":"2026-01-01T00:00:00Z"}"# + "\n"
            try scene.write("p", "events.jsonl", row)
            try await eventually(within: .seconds(10), "the first row") {
                try scene.topics("p") == ["a.b"]
            }
            let (home, away) = (scene.directory.path + "/r/p", scene.directory.path + "/away")
            try FileManager.default.moveItem(atPath: home, toPath: away)
            try await eventually(within: .seconds(20), "its end") {
                scene.catalogue.entry(scene.id("p"))?.isGone == true
            }
            let locks = try StoreLocks(.readers, of: scene)
            defer { locks.leave() }
            try await eventually(within: .seconds(10), "the locks") { locks.take() }

            try FileManager.default.moveItem(atPath: away, toPath: home)
            try await eventually(within: .seconds(40), "the problem") { scene.catalogue.storeProblem != nil }
            try scene.append("p", row.replacing("a.b", with: "a.c"))
            locks.leave()

            try await eventually(within: .seconds(30), "the second row") {
                try scene.topics("p").filter { $0.hasPrefix("a.") } == ["a.b", "a.c"]
            }
            #expect(scene.catalogue.storeProblem == nil)
            #expect(scene.catalogue.entry(scene.id("p"))?.isGone == false)
        }
    }

    @Test(arguments: [64, 1])
    func `while nothing can be stored after a restart sessions are what they were`(
        firstSights: Int
    ) async throws {
        try await withTemporaryDirectory { directory in
            let row = #"{"payload":"x","topic":"a.b","ts":"2026-01-01T00:00:00Z","iteration":7}"# + "\n"
            let names = ["p", "q", "z"]
            for name in names { try directory.write("r/\(name)/.ralph/events.jsonl", row) }
            let first = try IngestScene(directory)
            let run = Task { try await first.ingest.run() }
            #expect(await first.ingest.waitForFirstScan())
            run.cancel()
            try await run.value
            first.feed.close()

            // More than the journal takes.
            let large = row.replacing("x", with: String(repeating: "x", count: 70_000))
            try directory.append("r/p/.ralph/events.jsonl", large)
            let held = try IngestScene(directory) { settings in
                settings.discovery.firstSightsPerStep = firstSights
                settings.retryDelay = .seconds(60)...(.seconds(60))
            }
            defer { held.feed.close() }
            let locks = try StoreLocks(.writer, of: held)
            defer { locks.leave() }
            #expect(locks.take())
            let next = Task { try await held.ingest.run() }
            #expect(await held.ingest.waitForFirstScan())
            #expect(held.catalogue.storeProblem != nil)
            for name in names {
                let entry = try #require(held.catalogue.entry(held.id(name)), "\(name)")
                #expect(entry.head.last > 0 && entry.head == held.feed.head(of: held.id(name)))
                #expect(entry.state.lastEventAt != nil, "\(name)")
            }
            locks.leave()
            next.cancel()
            try await next.value
        }
    }

    @Test func `nothing is stored behind what could not be stored when the server stops`() async throws {
        try await withTemporaryDirectory { directory in
            let topics = (1...1000).map { "n.\($0)" }
            let payload = String(repeating: "x", count: 500)
            try directory.write(
                "r/p/.ralph/events.jsonl",
                topics.map {
                    #"{"payload":"\#(payload)","topic":"\#($0)","ts":"2026-01-01T00:00:00Z"}"# + "\n"
                }
                .joined())

            // Of several steps; each is read while the one before it is stored.
            let held = try IngestScene(directory) { settings in
                settings.discovery.sessionBudgetBytes = 128 << 10
                settings.retryDelay = .seconds(60)...(.seconds(60))
            }
            let locks = try StoreLocks(.writer, of: held)
            defer { locks.leave() }
            #expect(locks.take())
            let run = Task { try await held.ingest.run() }
            try await eventually(within: .seconds(30), "the problem") { held.catalogue.storeProblem != nil }
            locks.leave()
            run.cancel()
            try await run.value
            #expect(try held.topics("p") == [])
            held.feed.close()

            let scene = try IngestScene(directory)
            let next = Task { try await scene.ingest.run() }
            #expect(await scene.ingest.waitForFirstScan())
            #expect(try scene.topics("p").filter { $0.hasPrefix("n.") } == topics)
            next.cancel()
            try await next.value
            scene.feed.close()
        }
    }
}
