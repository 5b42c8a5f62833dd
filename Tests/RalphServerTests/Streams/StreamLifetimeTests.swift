import Foundation
import RalphTestSupport
import Testing

@testable import RalphServer

@Suite(.timeLimit(.minutes(1)))
struct StreamLifetimeTests {
    @Test func `a quiet stream is kept alive with comments`() async throws {
        try await withServer({ $0.streams.keepAliveSeconds = 1 }) { server in
            let id = try await server.session("a", lines: 0)
            let probe = try await server.stream("/api/sessions/\(id)/events")
            var comments: [String] = []
            while comments.count < 4, let frame = try await probe.frame() { comments += frame.comments }

            #expect(comments.filter { $0 == "keep-alive" }.count >= 2)
        }
    }

    @Test func `a client that reads nothing is cut and others go on`() async throws {
        try await withServer({ $0.streams.stallSeconds = 3 }) { server in
            let id = try await server.session("a", lines: 1)
            // It has had every event, and then reads nothing: it falls behind once.
            let stalled = try await server.stream("/api/sessions/\(id)/events")
            try await Self.readToHead(stalled)
            let reader = try await server.stream("/api/sessions/\(id)/events?replay=none")
            // One by one, so that the one that reads never has much to catch up on.
            for number in 2...80 {
                try server.appendLarge("a", number...number, bytes: 200_000)
                #expect(try await reader.eventIDs(1) == [number])
            }

            try await eventually(within: .seconds(20), "cut") { try await server.streams()["stalled"] == 1 }
            let lagged = try await server.streams()["lagged"] ?? 0
            #expect(lagged >= 1)
            #expect(try await server.figure("streams_lagged_total") == Double(lagged))
            #expect(try await server.figure("streams_stalled_total") == 1)
            withExtendedLifetime(stalled) {}
        }
    }

    private static func readToHead(_ probe: HTTPProbe) async throws {
        while let frame = try await probe.frame(), !frame.comments.contains(where: { $0.hasPrefix("synced") })
        {}
    }

    @Test func `a client that takes nothing of what the kernel holds for it is cut, one that has all stays`()
        async throws
    {
        try await withServer({ $0.streams.stallSeconds = 3 }) { server in
            let id = try await server.session("a", lines: 1)
            let stalled = try HTTPProbe(port: server.port, receiveBytes: 4096)
            try await stalled.request("/api/sessions/\(id)/events")
            let reader = try await server.stream("/api/sessions/\(id)/events?replay=none")
            // Far less than the kernel takes for one client.
            try server.appendLarge("a", 2...11, bytes: 10_000)
            #expect(try await reader.eventIDs(10) == Array(2...11))

            try await eventually(within: .seconds(20), "cut") {
                let streams = try await server.streams()
                return streams["stalled"] == 1 && streams["open"] == 1
            }
            try server.append("a", 12...12)
            #expect(try await reader.eventIDs(1) == [12])
            withExtendedLifetime(stalled) {}
        }
    }

    @Test func `a client that reads nothing is cut when little waits for it, too`() async throws {
        // Time enough to fill what the kernel has for it.
        try await withServer({ $0.streams.stallSeconds = 6 }) { server in
            let id = try await server.session("a", lines: 1)
            let stalled = try server.probe()
            try await stalled.request("/api/sessions/\(id)/events")
            let reader = try await server.stream("/api/sessions/\(id)/events?replay=none")
            _ = try await Self.fillKernel(server, reader)

            try await eventually(within: .seconds(20), "cut") { try await server.streams()["stalled"] == 1 }
            withExtendedLifetime(stalled) {}
        }
    }

    #if os(Linux)
    @Test func `a client that reads nothing is cut while what little waits for it grows`() async throws {
        try await withServer({ $0.streams.stallSeconds = 6 }) { server in
            let id = try await server.session("a", lines: 1)
            let stalled = try server.probe()
            try await stalled.request("/api/sessions/\(id)/events")
            let reader = try await server.stream("/api/sessions/\(id)/events?replay=none")
            var number = try await Self.fillKernel(server, reader)

            var second = 0
            try await eventually(within: .seconds(25), "cut") {
                let now = try await server.get("/api/health").object()["uptime_secs"] as? Int ?? 0
                if now > second {
                    (second, number) = (now, number + 1)
                    try server.append("a", number...number)
                }
                return try await server.streams()["stalled"] == 1
            }
            withExtendedLifetime(stalled) {}
        }
    }
    #endif

    /// Has events come until the kernel takes no more for a client beside `reader`: what is left then is an event or two.
    /// Gives the number of the last one.
    private static func fillKernel(_ server: RunningServer, _ reader: HTTPProbe) async throws -> Int {
        var (number, same, before) = (1, 0, 0)
        while same < 2, number < 2000 {
            number += 1
            try server.appendLarge("a", number...number, bytes: 12_000)
            #expect(try await reader.eventIDs(1) == [number])
            let queued = try SendQueue.bytes(port: server.port)
            same = queued > 0 && queued == before ? same + 1 : 0
            before = queued
        }
        #expect(same == 2, "the kernel still takes more")
        return number
    }

    /// A replay of which the kernel cannot take all, over HTTP/1.0.
    private static func openUnchunked(_ server: RunningServer) async throws -> HTTPProbe {
        let id = try await server.session("a", lines: 1)
        try server.appendLarge("a", 2...80, bytes: 200_000)
        _ = try await server.waitForSession("a", events: 80)
        let probe = try HTTPProbe(port: server.port, receiveBytes: 64 * 1024)
        try await probe.send(
            "GET /api/sessions/\(id)/events?tail=all&follow=false HTTP/1.0\r\nHost: localhost\r\n\r\n")
        return probe
    }

    @Test func `a replay over HTTP 1_0 that is cut is reset, since its end would be taken for the whole`()
        async throws
    {
        try await withServer({ $0.streams.stallSeconds = 3 }) { server in
            let probe = try await Self.openUnchunked(server)
            try await eventually(within: .seconds(20), "cut") { try await server.streams()["stalled"] == 1 }

            try await probe.waitForClose()
            #expect(probe.isReset)
        }
    }

    @Test func `a replay over HTTP 1_0 that the server does not wait for any longer is reset`() async throws {
        try await withTemporaryDirectory { directory in
            var probe: HTTPProbe?
            try await withServerParts(in: directory) { server, _ in
                probe = try await Self.openUnchunked(server)
                try await SendQueue.waitUntilStuck(port: server.port)
            }

            try await probe?.waitForClose()
            #expect(probe?.isReset == true)
        }
    }

    @Test func `what came behind a client is not what it is told to have come before it`() async throws {
        try await withServer { server in
            let id = try await server.session("a", lines: 1)
            try server.appendLarge("a", 2...80, bytes: 200_000)
            _ = try await server.waitForSession("a", events: 80)
            let probe = try server.probe()
            try await probe.request("/api/sessions/\(id)/events?tail=all")
            try await eventually(within: .seconds(10), "open") {
                let streams = try await server.get("/api/health").object()["streams"] as? [String: Any]
                return streams?["open"] as? Int == 1
            }
            try server.append("a", 81...83)
            _ = try await server.waitForSession("a", events: 83)

            _ = try await probe.head()
            var (heads, ids): ([String], [Int]) = ([], [])
            while heads.isEmpty || ids.last != 83, let frame = try await probe.frame(within: .seconds(20)) {
                heads += frame.comments.filter { $0.hasPrefix("synced") }
                if let id = frame.id.flatMap(Int.init) { ids.append(id) }
            }
            #expect(ids == Array(1...83))
            #expect(heads.count == 1 && heads.first?.hasPrefix(#"synced {"head":80,"#) == true)
        }
    }

    @Test func `a client that closes its sending half still reads`() async throws {
        try await withServer { server in
            let id = try await server.session("a", lines: 1)
            let probe = try await server.stream("/api/sessions/\(id)/events")
            _ = try await probe.eventIDs(1)
            probe.closeSending()
            try server.append("a", 2...3)

            #expect(try await probe.eventIDs(2) == [2, 3])
        }
    }

    @Test func `a connection that asked for something else can become a stream`() async throws {
        try await withServer { server in
            let id = try await server.session("a", lines: 2)
            let probe = try server.probe()
            try await probe.request("/api/sessions/\(id)/status")
            _ = try await probe.response()
            try await probe.request("/api/sessions/\(id)/events")
            _ = try await probe.head()

            #expect(try await probe.eventIDs(2) == [1, 2])
        }
    }

    @Test func `streams above the limit are a 503`() async throws {
        try await withServer({ $0.streams.maximumStreams = 1 }) { server in
            let id = try await server.session("a", lines: 0)
            let kept = try await server.stream("/api/sessions/\(id)/events")

            #expect(try await server.get("/api/sessions/\(id)/events").status == 503)
            withExtendedLifetime(kept) {}
        }
    }

    @Test func `the shutdown tells streams when to come back and ends them`() async throws {
        try await withTemporaryDirectory { directory in
            let probe = Kept()
            try await withServer(in: directory) { server in
                let id = try await server.session("a", lines: 1)
                let stream = try await server.stream("/api/sessions/\(id)/events")
                _ = try await stream.eventIDs(1)
                await probe.keep(stream)
            }
            try await probe.expectRetryAndEnd()
        }
    }

    @Test func `a stream that is opened while the server goes down is told to come back as well`()
        async throws
    {
        try await withTemporaryDirectory { directory in
            let probe = Kept()
            try await withServer(in: directory) { server in
                let id = try await server.session("a", lines: 1)
                // Requests that take their time are still answered.
                let stream = try server.probe()
                try await stream.request(
                    "/api/sessions/\(id)/events", headers: ["Content-Length": "1", "Expect": "100-continue"])
                // It is taken in.
                try #require(await stream.head().status == 100)
                await probe.keep(stream)
                Task { try await probe.complete(asSoonAsRefusedBy: server) }
            }
            try await probe.expectRetryAndEnd(1)
        }
    }

    /// Carries a probe out of the server's scope.
    private actor Kept {
        private var probe: HTTPProbe?

        func keep(_ probe: sending HTTPProbe) { self.probe = probe }

        /// Sends the last byte of a request when no more connections are taken.
        func complete(asSoonAsRefusedBy server: RunningServer) async throws {
            try await eventually(within: .seconds(10), "a server that goes down") {
                // It is what is waited for.
                (try? server.probe()) == nil
            }
            try await probe?.send("x")
        }

        /// - Parameter before: what the stream says of that when it is opened, if that is not read yet.
        func expectRetryAndEnd(_ before: Int = 0) async throws {
            let probe = try #require(probe)
            var retries: [String] = []
            while let frame = try await probe.frame() { retries += frame.retry.map { [$0] } ?? [] }
            try #require(retries.count == before + 1)
            let delay = try #require(Int(retries[before]))
            #expect((500...4500).contains(delay))
        }
    }
}
