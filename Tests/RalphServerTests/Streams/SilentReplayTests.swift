import NIOPosix
import RalphFeed
import RalphTestSupport
import RalphWire
import Testing

@testable import RalphServer

/// Streams of what has left the ring while the file system of one session does not answer.
@Suite(.timeLimit(.minutes(1)))
struct SilentReplayTests {
    private static let start: Int64 = 1_795_230_000

    /// A row for each second behind ``start``.
    private static func rows(_ numbers: ClosedRange<Int64>) -> String {
        numbers.map { number in
            #"{"topic":"note","ts":"\#(Timestamp.text((start + number) * 1000))","payload":"n"}"# + "\n"
        }.joined()
    }

    /// Has a server store 300 events of each workspace, most of which leave the ring; what the next one finds in its store
    /// is in no memory.
    private static func fill(_ names: [String], in directory: TemporaryDirectory) async throws {
        try await withServer(in: directory, { $0.ring = 100 }) { server in
            for name in names {
                try server.root.write(name + "/.ralph/events.jsonl", rows(1...50))
                _ = try await server.waitForSession(name, events: 50)
                try server.root.append(name + "/.ralph/events.jsonl", rows(51...300))
                _ = try await server.waitForSession(name, events: 300)
            }
        }
    }

    /// Keeps the threads busy on which streams read the store, until the gate is opened.
    private static func holdStore(of parts: ServerParts) async throws -> ThreadGate {
        let gate = ThreadGate(within: .seconds(30))
        for pool in [parts.replayThreads, parts.seekThreads] {
            for _ in 0..<2 { pool.submit { _ in gate.pass() } }
        }
        try await eventually(within: .seconds(10), "held threads") { gate.kept == 4 }
        return gate
    }

    @Test func `replays whose files do not answer keep no others waiting, and go on when these do`()
        async throws
    {
        try await withTemporaryDirectory { directory in
            try await Self.fill(["a", "b"], in: directory)
            try await withServerParts(
                in: directory,
                {
                    $0.ring = 100
                    $0.streams.keepAliveSeconds = 1
                }
            ) { server, parts in
                let silent = try await server.waitForSession("a", events: 300)
                let other = try await server.waitForSession("b", events: 300)
                let gate = try await parts.archiveThreads.hold(server.root.path + "/a", of: "replay")
                defer { gate.open() }
                let path = "/api/sessions/\(silent)/events?poll=1&"
                let all = try await server.stream(path + "tail=all")
                let some = try await server.stream(path + "since=\(Self.start + 50)")
                let frames = try await server.events("/api/sessions/\(other)/events?poll=1&tail=all")
                #expect(frames.count == 300 && !gate.isOpen)

                // Longer than a read waits for its turn: then it is refused, and tried again.
                for _ in 0..<12 {
                    let frame = try await all.frame()
                    #expect(frame?.data.isEmpty == true)
                }
                gate.open()
                #expect(try await all.eventIDs(300) == Array(1...300))
                #expect(try await some.eventIDs(250) == Array(51...300))
            }
        }
    }

    @Test(arguments: [("tail=all", 90), ("since=2026-11-21T03:20:37Z", 0)])
    func `what leaves the ring while a stream waits for the store is read where others wait for no file`(
        _ start: String, _ count: Int
    ) async throws {
        try await withTemporaryDirectory { directory in
            try await withServer(in: directory, { $0.ring = 100 }) { server in
                _ = try await server.session("a", lines: 90)
            }
            // What a server finds in its store is in no memory.
            try await withServerParts(
                in: directory,
                {
                    $0.ring = 100
                    $0.streams.keepAliveSeconds = 1
                }
            ) { server, parts in
                let id = try await server.waitForSession("a", events: 90)
                let store = try await Self.holdStore(of: parts)
                defer { store.open() }
                let probe = try await server.stream("/api/sessions/\(id)/events?poll=1&\(start)")
                try server.append("a", 91...250)
                let session = try #require(SessionID(id))
                try await eventually(within: .seconds(10), "a ring that moved on") {
                    parts.feed.head(of: session)?.firstKept == 151
                }
                let files = try await parts.archiveThreads.hold(server.root.path + "/a", of: "replay")
                defer { files.open() }
                let opened = ContinuousClock.now
                store.open()
                // Keep-alives and nothing else.
                while ContinuousClock.now < opened + .seconds(3) {
                    let frame = try await probe.frame()
                    try #require(frame?.data.isEmpty == true && !files.isOpen)
                }

                files.open()
                #expect(try await probe.eventIDs(90, within: .seconds(30)) == Array(1..<count + 1))
            }
        }
    }
}
