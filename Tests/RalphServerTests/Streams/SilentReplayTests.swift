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
}
