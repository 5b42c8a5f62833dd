import NIOPosix
import RalphFeed
import RalphTestSupport
import Synchronization
import Testing

@testable import RalphServer

/// Streams and pages of history while the threads that read the past wait for something else.
@Suite(.timeLimit(.minutes(1)))
struct HeldReplayTests {
    private static let key = "0123456789abcdef"

    /// Keeps the threads of a pool busy until the gate is opened.
    private static func hold(_ pool: NIOThreadPool) async throws -> ThreadGate {
        let gate = ThreadGate(within: .seconds(30))
        for _ in 0..<2 { pool.submit { _ in gate.pass() } }
        try await eventually(within: .seconds(10), "held threads") { gate.kept == 2 }
        return gate
    }

    @Test func `who comes and goes has no more reads waiting than who stays has streams`() async throws {
        try await withTemporaryDirectory { directory in
            let headers = ["Authorization": "Bearer \(try WrongKeyTests.pair(in: directory))"]
            try directory.write("a/.ralph/events.jsonl", RunningServer.lines(1...20, when: true))
            try await withServerParts(in: directory, { $0.apiKey = Self.key }) { server, parts in
                try await eventually(within: .seconds(20), "the session") { parts.feed.globalHead >= 20 }
                let gate = try await Self.hold(parts.seekThreads)
                defer { gate.open() }
                for _ in 0..<64 {
                    let probe = try await server.stream("/api/events?since=1h", headers: headers)
                    probe.close()
                }
                try await eventually(within: .seconds(10), "gone") {
                    parts.counters.open.load(ordering: .relaxed) == 0
                }
                #expect(try await server.get("/api/events?since=1h", headers: headers).status == 429)

                gate.open()
                try await eventually(within: .seconds(10), "a place") {
                    let path = "/api/events?since=all&poll=1"
                    return try await server.events(path, headers: headers).count == 20
                }
            }
        }
    }

    @Test func `no stream waits for pages of history`() async throws {
        try await withTemporaryDirectory { directory in
            try await withServer(in: directory) { server in _ = try await server.session("a", lines: 900) }
            // What a server finds in its store is in no memory.
            try await withServerParts(in: directory) { server, parts in
                let id = try await server.waitForSession("a", events: 900)
                let gate = try await parts.historyThreads.hold(server.root.path + "/a", of: "history")
                defer { gate.open() }
                let page = try server.probe()
                try await page.request("/api/sessions/\(id)/history?limit=10")
                let frames = try await server.events("/api/sessions/\(id)/events?tail=all&poll=1")
                #expect(frames.count == 900 && !gate.isOpen)

                gate.open()
                // It may have waited for longer than it does for a file system.
                #expect([200, 503].contains(try await page.response().status))
            }
        }
    }

    @Test(arguments: ["history", "export"])
    func `pages of a session wait for no other one's workspace and not without end`(kind: String) async throws
    {
        try await withTemporaryDirectory { directory in
            try await withServerParts(in: directory) { server, parts in
                let silent = try await server.session("a", lines: 3)
                let other = try await server.session("b", lines: 3)
                let gate = try await parts.historyThreads.hold(server.root.path + "/a", of: kind)
                defer { gate.open() }
                // As many as are made at once.
                let probes = try (0..<2).map { _ in try server.probe() }
                for probe in probes { try await probe.request("/api/sessions/\(silent)/\(kind)") }

                let page = try server.probe()
                try await page.request("/api/sessions/\(other)/\(kind)")
                #expect(try await page.response(within: .seconds(30)).status == 200)
                for probe in probes {
                    let answer = try await probe.response(within: .seconds(30))
                    #expect(answer.status == 503 && answer.text.contains("file_system_silent"))
                }
                #expect(!gate.isOpen)
            }
        }
    }

    @Test func `no replay waits for those who look for a start by its time`() async throws {
        try await withTemporaryDirectory { directory in
            try await withServer(in: directory) { server in _ = try await server.session("a", lines: 900) }
            // What a server finds in its store is in no memory.
            try await withServerParts(in: directory) { server, parts in
                let id = try await server.waitForSession("a", events: 900)
                let gate = try await Self.hold(parts.seekThreads)
                defer { gate.open() }
                let seeker = try await server.stream("/api/events?since=2026-11-01T00:00:00Z&poll=1")
                for path in [
                    "/api/sessions/\(id)/events?tail=all", "/api/events?tail=all", "/api/events?tail=900",
                ] {
                    #expect(try await server.events(path + "&poll=1").count == 900)
                }
                #expect(!gate.isOpen)

                gate.open()
                #expect(try await seeker.eventsToEnd().count == 900)
            }
        }
    }

    @Test func `no stream of what is kept waits for Ralph's files`() async throws {
        try await withTemporaryDirectory { directory in
            try await withServer(in: directory) { server in _ = try await server.session("a", lines: 900) }
            // What a server finds in its store is in no memory.
            try await withServerParts(in: directory) { server, parts in
                let id = try await server.waitForSession("a", events: 900)
                let gate = try await parts.archiveThreads.hold(server.root.path + "/a", of: "replay")
                defer { gate.open() }
                for start in ["tail=all", "since=2026-11-01T00:00:00Z"] {
                    let frames = try await server.events("/api/sessions/\(id)/events?\(start)&poll=1")
                    #expect(frames.count == 900 && !gate.isOpen)
                }
            }
        }
    }

    @Test func `neither figures nor metrics wait for workspaces`() async throws {
        try await withTemporaryDirectory { directory in
            try await withServerParts(in: directory) { server, parts in
                _ = try await server.session("a", lines: 3)
                let gate = try await parts.threads.hold(server.root.path + "/a")
                defer { gate.open() }
                for path in ["/metrics", "/api/stats", "/docs"] {
                    #expect(try await server.get(path).status == 200)
                }
                #expect(!gate.isOpen)
            }
        }
    }

    @Test func `a stream that waits for events of the past is not ended as one that has them`() async throws {
        try await withTemporaryDirectory { directory in
            let end =
                #"{"ts":"2026-11-21T03:20:50Z","iteration":1,"hat":"loop","topic":"loop.terminate","payload":"x"}"#
            try directory.write("a/.ralph/events.jsonl", RunningServer.lines(1...20, when: true) + end + "\n")
            try await withServerParts(
                in: directory,
                {
                    $0.streams.endedIdleSeconds = 1
                    $0.streams.keepAliveSeconds = 1
                }
            ) { server, parts in
                let id = try await server.waitForSession("a", events: 22)
                let gate = try await Self.hold(parts.seekThreads)
                defer { gate.open() }
                let probe = try await server.stream(
                    "/api/sessions/\(id)/events?since=2026-11-21T03:20:00Z&poll=1")
                for _ in 0..<4 {
                    let frame = try await probe.frame()
                    #expect(frame != nil && frame?.event != "synced")
                }
                gate.open()
                #expect(try await probe.eventIDs(22) == Array(1...22))
            }
        }
    }

    @Test func `a stream whose start cannot be looked for any more does not end as one that has everything`()
        async throws
    {
        try await withTemporaryDirectory { directory in
            try directory.write("a/.ralph/events.jsonl", RunningServer.lines(1...20, when: true))
            try await withServerParts(in: directory) { server, parts in
                let id = try await server.waitForSession("a", events: 20)
                // As where the server ends.
                try await parts.seekThreads.shutdownGracefully()
                let probe = try await server.stream(
                    "/api/sessions/\(id)/events?since=2026-11-21T03:20:00Z&poll=1")
                while let frame = try await probe.frame() {
                    #expect(frame.data.isEmpty && !frame.comments.contains { $0.hasPrefix("synced") })
                }
                #expect(!probe.hasEndedCleanly)
            }
        }
    }

    @Test func `a stream whose start is still looked for tells no cursor`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.write("a/.ralph/events.jsonl", RunningServer.lines(1...20, when: true))
            try await withServerParts(in: directory, { $0.streams.keepAliveSeconds = 1 }) { server, parts in
                try await eventually(within: .seconds(20), "the session") { parts.feed.globalHead >= 20 }
                let gate = try await Self.hold(parts.seekThreads)
                defer { gate.open() }
                let probe = try await server.stream("/api/events?since=2026-11-21T03:20:35Z&topic=*.even")
                for _ in 0..<3 {
                    let frame = try await probe.frame()
                    #expect(frame != nil && frame?.id == nil)
                }
                gate.open()
                #expect(try await probe.eventIDs(2) == [2, 4])
            }
        }
    }
}
