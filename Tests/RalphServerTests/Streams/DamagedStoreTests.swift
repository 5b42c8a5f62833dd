import Foundation
import NIOCore
import RalphTestSupport
import Synchronization
import Testing

@testable import RalphServer

/// What streams and reports come to when a page of the store cannot be read.
@Suite(.timeLimit(.minutes(1)))
struct DamagedStoreTests {
    private static let store = ".state/events.sqlite"

    /// Has a server store 900 events, stops it, and destroys each page with one of event `number`.
    private func damageStore(in directory: TemporaryDirectory, atEvent number: Int) async throws {
        try await withServer(in: directory) { server in _ = try await server.session("a", lines: 900) }
        try destroyPages(with: "\"n\(number)\"", in: directory)
    }

    private func destroyPages(with text: String, in directory: TemporaryDirectory) throws {
        let url = URL(fileURLWithPath: directory.path + "/" + Self.store)
        var bytes = try Data(contentsOf: url)
        let wanted = Data(text.utf8)
        var damaged = 0
        while let found = bytes.range(of: wanted) {
            let start = found.lowerBound / 4096 * 4096
            let page = start..<min(start + 4096, bytes.count)
            bytes.replaceSubrange(page, with: Data(repeating: 0xFF, count: page.count))
            damaged += 1
        }
        try #require(damaged > 0)
        try bytes.write(to: url)
    }

    private func expectBrokenOff(_ target: String, of server: RunningServer) async throws {
        let probe = try await server.stream(target)
        let lines = try await probe.linesToEnd()
        #expect(!probe.hasEndedCleanly, "\(target)")
        #expect(!lines.contains { $0.contains("synced") || $0.contains("gap") }, "\(target)")
        #expect(!lines.contains { $0.contains("\"n600\"") }, "\(target)")
        // Once at the beginning and once at the end.
        let retries = lines.count { $0 == "retry: 2000" }
        #expect(retries == (target.contains("ndjson") ? 0 : 2), "\(target)")
    }

    @Test func `a replay that meets damage is broken off and the server says why until it starts anew`()
        async throws
    {
        try await withTemporaryDirectory { directory in
            try await damageStore(in: directory, atEvent: 600)
            try await withServer(in: directory) { server in
                let id = try await server.waitForSession("a", events: 900)
                for target in [
                    "/api/sessions/\(id)/events?tail=all&follow=false",
                    "/api/sessions/\(id)/events.ndjson?tail=all&follow=false",
                    "/api/events?tail=all&follow=false", "/api/sessions/\(id)/events?tail=all",
                ] { try await expectBrokenOff(target, of: server) }
                try server.append("a", 901...905)
                _ = try await server.waitForSession("a", events: 905)

                // What is whole is given as ever.
                let probe = try await server.stream("/api/sessions/\(id)/events?tail=9&follow=false")
                #expect(try await probe.eventIDs(9) == Array(897...905))
                _ = try await probe.eventsToEnd()
                #expect(probe.hasEndedCleanly)
                let health = try await server.get("/api/health").object()
                #expect(health["status"] as? String == "degraded")
                #expect((health["store"] as? String)?.contains("is damaged") == true)
                #expect(try await server.get("/metrics").text.contains("ralph_mobile_store_writable 0\n"))
                #expect(try await server.get("/readyz").status == 503)
            }
            try await withServer(in: directory) { server in
                _ = try await server.waitForSession("a", events: 900)
                #expect(try await server.get("/api/health").object()["store"] as? String == "ok")
            }
            #expect(try directory.names(in: ".state").contains { $0.hasPrefix("events.sqlite.corrupt-") })
        }
    }

    @Test func `over HTTP 1_0 such a stream does not end as one that is whole`() async throws {
        try await withTemporaryDirectory { directory in
            try await damageStore(in: directory, atEvent: 600)
            let request = "?tail=all&follow=false HTTP/1.0\r\nHost: localhost\r\n\r\n"
            try await withServer(in: directory) { server in
                let id = try await server.waitForSession("a", events: 900)
                let probe = try server.probe()
                try await probe.send("GET /api/sessions/\(id)/events" + request)
                try await probe.waitForClose()
                #expect(probe.isReset)
            }
        }
    }

    @Test func `nor does such a stream over HTTP 1_0 through TLS`() async throws {
        try await withTemporaryDirectory { directory in
            try await damageStore(in: directory, atEvent: 600)
            try await withServer(in: directory, { $0.tls = .selfSigned }) { server in
                let id = try await HTTP2Probe(port: server.port).session("a", events: 900)
                let (channel, ending) = try await TLSProbe.connect(port: server.port)
                let path = "/api/sessions/\(id)/events?tail=all&follow=false"
                try await channel.writeAndFlush(
                    ByteBuffer(string: "GET \(path) HTTP/1.0\r\nHost: localhost\r\n\r\n"))

                try await eventually(within: .seconds(10), "the end") { !channel.isActive }
                #expect(ending.hasFailed.withLock { $0 })
            }
        }
    }

    @Test func `over HTTP2 such a stream is reset and the connection stays`() async throws {
        try await withTemporaryDirectory { directory in
            try await damageStore(in: directory, atEvent: 600)
            try await withServer(in: directory, { $0.tls = .selfSigned }) { server in
                let probe = try await HTTP2Probe(port: server.port)
                let id = try await probe.session("a", events: 900)
                for form in ["events", "events.ndjson"] {
                    let answer = try await probe.get("/api/sessions/\(id)/\(form)?tail=all&follow=false")

                    #expect(answer.status == 200 && !answer.hasEnded, "\(form)")
                    #expect(answer.reset != nil, "\(form)")
                }
                #expect(try await probe.get("/health").text == "OK")
                #expect(probe.isOpen)
            }
        }
    }

    @Test func `damage that is met at the start is told, and the server answers`() async throws {
        try await withTemporaryDirectory { directory in
            try await withServer(in: directory) { server in _ = try await server.session("a", lines: 900) }
            try destroyPages(with: #""lastEventAt":"#, in: directory)

            try await withServer(in: directory) { server in
                #expect(try await server.get("/livez").status == 200)
                #expect(try await server.get("/readyz").status == 503)
                let health = try await server.get("/api/health").object()
                #expect((health["store"] as? String)?.contains("is damaged") == true)
                _ = try await server.waitForSession("a", events: 900)
            }
            try await withServer(in: directory) { server in
                _ = try await server.waitForSession("a", events: 900)
                #expect(try await server.get("/api/health").object()["store"] as? String == "ok")
            }
        }
    }

    @Test func `a store that is removed while it is open is told of in the log`() async throws {
        try await withTemporaryDirectory { directory in
            let log = RunningServer.Said()
            let words = "The event store is damaged or gone"
            try await withServer(in: directory, logger: TestLogger.make { log.add($0) }) { server in
                _ = try await server.session("a", lines: 3)
                #expect(!log.all.contains { $0.contains(words) })
                try directory.remove(Self.store)

                try await eventually(within: .seconds(10), "the line") {
                    log.all.contains { $0.contains(words) && $0.contains("was removed or replaced") }
                }
                #expect(try await server.get("/readyz").status == 503)
            }
            #expect(log.all.count { $0.contains(words) } == 1)
        }
    }
}
