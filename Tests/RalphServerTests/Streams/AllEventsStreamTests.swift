import Foundation
import NIOCore
import NIOPosix
import RalphFeed
import RalphTestSupport
import Testing

@testable import RalphServer

@Suite(.timeLimit(.minutes(1)))
struct AllEventsStreamTests {
    @Test func `all sessions come in one stream with global ids`() async throws {
        try await withServer { server in
            let first = try await server.session("a", lines: 3)
            let second = try await server.session("b", lines: 3)
            let probe = try await server.stream("/api/events?since=all")
            var sessions: [String] = []
            var ids: [Int] = []
            for _ in 1...6 {
                let frame = try await probe.event()
                ids.append(Int(frame?.id ?? "") ?? -1)
                sessions.append(try frame?.object()["session_id"] as? String ?? "")
            }
            #expect(ids == Array(1...6))
            #expect(Set(sessions) == [first, second])

            try server.append("a", 4...4)
            let live = try await probe.event()
            #expect(live?.id == "7")
            #expect(try live?.object()["seq"] as? Int == 4)
        }
    }

    @Test func `the global cursor continues where it was`() async throws {
        try await withServer { server in
            _ = try await server.session("a", lines: 5)
            _ = try await server.session("b", lines: 5)
            let frames = try await server.events("/api/events?follow=false", headers: ["Last-Event-ID": "7"])

            #expect(frames.compactMap(\.id) == ["8", "9", "10"])
        }
    }

    /// Of 250 events the newest 100 are kept, and who has seen fewer than the others is told of those.
    private func expectGap(
        _ server: RunningServer, query: String = "", headers: [String: String] = [:]
    ) async throws {
        let probe = try await server.stream("/api/events?follow=false" + query, headers: headers)
        _ = try await probe.frame()
        let gap = try await probe.frame()

        #expect(gap?.comments == [#"gap {"from":1,"to":150,"reason":"retention"}"#])
        #expect(try await probe.eventsToEnd().compactMap(\.id) == (151...250).map(String.init))
    }

    @Test func `what has left every ring is a gap that names its range`() async throws {
        try await withTemporaryDirectory { directory in
            try await withServer(in: directory, { $0.ring = 100 }) { server in
                _ = try await server.session("a", lines: 100)
                try server.append("a", 101...250)
                _ = try await server.waitForSession("a", events: 250)
            }
            // Memory still had them all; a restart makes the ring the oldest there is.
            try await withServer(in: directory, { $0.ring = 100 }) { server in
                _ = try await server.waitForSession("a", events: 250)
                try await expectGap(server, query: "&last_event_id=0")
                try await expectGap(server, headers: ["Last-Event-ID": "0"])
            }
        }
    }

    @Test func `the newest are counted without what has left the rings`() async throws {
        try await withTemporaryDirectory { directory in
            try await withServer(in: directory, { $0.ring = 100 }) { server in
                _ = try await server.session("quiet", lines: 5)
                _ = try await server.session("busy", lines: 100)
                try server.append("busy", 101...700)
                _ = try await server.waitForSession("busy", events: 700)
            }
            try await withServer(in: directory, { $0.ring = 100 }) { server in
                _ = try await server.waitForSession("busy", events: 700)
                for (query, missing) in [("tail=103", 2), ("tail=100", 5), ("tail=705", 0), ("", 0)] {
                    let frames = try await server.events("/api/events?follow=false&\(query)")
                    let kept = Array(1...5) + Array(606...705)
                    #expect(frames.compactMap(\.id) == kept.dropFirst(missing).map(String.init))
                }
            }
        }
    }

    @Test func `an event's id is a cursor here too`() async throws {
        try await withServer { server in
            _ = try await server.session("a", lines: 5)
            let id = try await server.session("b", lines: 5)
            let path = "/api/events?follow=false&last_event_id="
            #expect(try await server.events(path + "evt_\(id)-3").compactMap(\.id) == ["9", "10"])

            for unknown in [
                "evt_\(id)-3&epoch=00000000", "evt_\(id)-99", "evt_\(id)-9223372036854775807",
                "evt_0123456789abcdef-3",
            ] {
                let probe = try await server.stream(path + unknown)
                _ = try await probe.frame()
                #expect(try await probe.frame()?.comments.first?.contains("unknown_cursor") == true)
                #expect(try await probe.eventsToEnd().count == 10)
            }
        }
    }

    @Test(arguments: ["4000", "00000000:3", "00000000:4000"])
    func `a number of another store is a gap here too, and then everything kept`(_ cursor: String)
        async throws
    {
        try await withServer { server in
            _ = try await server.session("a", lines: 5)
            let path = "/api/events?follow=false"
            let probe = try await server.stream(path, headers: ["Last-Event-ID": cursor])
            _ = try await probe.frame()

            #expect(try await probe.frame()?.comments.first?.contains("unknown_cursor") == true)
            #expect(try await probe.eventIDs(5) == Array(1...5))
        }
    }

    @Test(arguments: ["abc", "-1", "1.5", "99999999999999999999", "00000000:", "evt_abc-1", "1 2"])
    func `a header that is no cursor is a 400 here too`(_ header: String) async throws {
        try await withServer { server in
            let response = try await server.get("/api/events", headers: ["Last-Event-ID": header])

            #expect(response.status == 400)
            #expect((try response.object()["error"] as? String)?.hasPrefix("invalid_request:") == true)
        }
    }

    @Test func `an event's id is an exact cursor, also when it has left the ring`() async throws {
        try await withTemporaryDirectory { directory in
            let path = "/api/events?follow=false&last_event_id=evt_"
            try await withServer(in: directory, { $0.ring = 100 }) { server in
                let id = try await server.session("a", lines: 100)
                _ = try await server.session("b", lines: 50)
                try server.append("a", 101...300)
                _ = try await server.waitForSession("a", events: 300)

                // Memory has them all.
                #expect(
                    try await server.events(path + id + "-150").compactMap(\.id)
                        == (201...350).map(String.init))
            }
            try await withServer(in: directory, { $0.ring = 100 }) { server in
                let id = try await server.waitForSession("a", events: 300)
                let probe = try await server.stream(path + id + "-150")
                _ = try await probe.frame()

                let gap = try await probe.frame()
                #expect(gap?.comments == [#"gap {"from":201,"to":250,"reason":"retention"}"#])
                #expect(try await probe.eventsToEnd().compactMap(\.id) == (251...350).map(String.init))
            }
        }
    }

    @Test func `events that are too many for an event loop at once come all the same`() async throws {
        try await withTemporaryDirectory { directory in
            try await withWholeServer(in: directory) { server, whole in
                let names = (1...6).map { "s\($0)" }
                for name in names { _ = try await server.session(name, lines: 1) }
                let probe = try await server.stream("/api/events?replay=none")
                while let frame = try await probe.frame(),
                    !frame.comments.contains(where: { $0.hasPrefix("synced") })
                {}
                // What is stored meanwhile waits for the event loops, 8 MiB of it at most.
                let gate = ThreadGate(within: .seconds(30))
                defer { gate.open() }
                let loops = Array(whole.loops.makeIterator())
                for loop in loops { loop.execute { gate.pass() } }
                try await eventually(within: .seconds(10), "held loops") { gate.kept == loops.count }
                let padding = String(repeating: "x", count: 200_000)
                let line = #"{"topic":"big","ts":"2026-11-21T03:20:36Z","payload":"\#(padding)"}"# + "\n"
                for name in names {
                    try directory.append("\(name)/.ralph/events.jsonl", String(repeating: line, count: 10))
                }
                let feed = whole.parts.files.feed
                try await eventually(within: .seconds(20), "all are stored") { feed.globalHead == 66 }
                #expect(!gate.isOpen)
                gate.open()

                #expect(try await probe.eventIDs(60, within: .seconds(20)) == Array(7...66))
                #expect(try await server.streams()["overflowed"] == 1)
                #expect(try await server.figure("stream_inbox_overflows_total") == 1)
            }
        }
    }

    /// Rows of a time, `count` of them.
    private static func rows(at time: String, count: Int) -> String {
        String(repeating: #"{"topic":"note","ts":"\#(time)","payload":"x"}"# + "\n", count: count)
    }

    @Test func `a time leaves out nothing later, though older workspaces were found behind it`() async throws
    {
        let (late, early) = ("2026-11-21T03:20:36Z", "2026-11-14T03:20:36Z")
        let path = "/api/events?follow=false&since=2026-11-20T00:00:00Z"
        try await withTemporaryDirectory { directory in
            try directory.write("a/.ralph/events.jsonl", Self.rows(at: late, count: 90))
            try directory.write("c/.ralph/events.jsonl", Self.rows(at: early, count: 50))
            try await withServer(in: directory, { $0.ring = 100 }) { server in
                _ = try await server.waitForSession("a", events: 90)
                _ = try await server.waitForSession("c", events: 50)
                try server.root.append("a/.ralph/events.jsonl", Self.rows(at: late, count: 160))
                _ = try await server.waitForSession("a", events: 250)

                let events = try await server.events(path)
                #expect(events.count >= 250)
            }
            try await withServer(in: directory, { $0.ring = 100 }) { server in
                _ = try await server.waitForSession("a", events: 250)
                let probe = try await server.stream(path)
                _ = try await probe.frame()

                let gap = try await probe.frame()
                #expect(gap?.comments.first?.hasPrefix(#"gap {"from":1,"#) == true)
                #expect(gap?.comments.first?.contains(#""to":200,"reason":"retention"}"#) == true)
                #expect(try await probe.eventsToEnd().compactMap(\.id) == (201...300).map(String.init))
            }
        }
    }

    @Test func `short stretches of the past are sent together`() async throws {
        try await withTemporaryDirectory { directory in
            try await withServer(in: directory) { server in
                for name in ["a", "b"] { _ = try await server.session(name, lines: 1) }
                for number in 2...20 {
                    for name in ["a", "b"] {
                        try server.append(name, number...number)
                        _ = try await server.waitForSession(name, events: number)
                    }
                }
            }
            // What a server finds in its store is in no memory.
            try await withServer(in: directory) { server in
                _ = try await server.waitForSession("b", events: 20)
                let probe = try server.probe()
                try await probe.request(
                    "/api/events?since=all&follow=false", headers: ["Connection": "close"])
                try await probe.waitForClose()
                let lines = String(decoding: probe.unread, as: UTF8.self).split(separator: "\r\n")
                let chunks = lines.count { $0.utf8.count == 8 && $0.allSatisfy(\.isHexDigit) }

                // The opening, the events and the end of the replay.
                #expect(lines.joined().components(separatedBy: "id: ").count == 41)
                #expect(chunks == 3)
            }
        }
    }

    @Test func `who asks for JSON gets the stream, since there are no pages`() async throws {
        try await withServer { server in
            _ = try await server.session("a", lines: 1)
            let probe = try await server.stream(
                "/api/events?follow=false&tail=all", headers: ["Accept": "application/json"])

            #expect(try await probe.eventsToEnd().compactMap(\.id) == ["1"])
        }
    }

    @Test func `lines of all sessions`() async throws {
        try await withServer { server in
            _ = try await server.session("a", lines: 2)
            _ = try await server.session("b", lines: 2)
            let probe = try await server.stream("/api/events.ndjson?poll=1&since=all")

            #expect(try await probe.linesToEnd().count == 4)
        }
    }
}
