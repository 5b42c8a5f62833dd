import Foundation
import RalphFeed
import RalphTestSupport
import RalphWire
import Synchronization
import Testing

@testable import RalphServer

/// A device that was taken out.
@Suite(.timeLimit(.minutes(1)))
struct RevocationTests {
    @Test func `its streams end within a second and others stay`() async throws {
        try await withDevices { server in
            let id = try await Self.session(server)
            let gone = try await server.stream("/api/events", headers: PairedDevice.watch.headers)
            let second = try await server.stream(
                "/api/sessions/\(id)/events.ndjson", headers: PairedDevice.watch.headers)
            let other = try await server.stream("/api/events?tail=0", headers: PairedDevice.answer.headers)
            let revoked = try await server.send(
                "DELETE", "/api/devices/\(PairedDevice.watch.id)", headers: PairedDevice.owner)

            #expect(revoked.status == 200)
            try await gone.waitForClose(within: .seconds(1))
            try await second.waitForClose(within: .seconds(1))
            try server.append("a", 2...2)
            let count = try await other.eventIDs(1).count
            #expect(count == 1)
        }
    }

    @Test func `an answer that it has not taken is broken off`() async throws {
        try await withDevices { server in
            let id = try await Self.session(server)
            try server.appendLarge("a", 2...1000, bytes: 8000)
            try await eventually(within: .seconds(20), "all events") {
                let list = try await server.get("/api/sessions", headers: PairedDevice.owner).json()
                return (list as? [[String: Any]])?.first?["last_seq"] as? Int == 1000
            }
            let probe = try HTTPProbe(port: server.port, receiveBytes: 65_536)
            try await probe.request("/api/sessions/\(id)/export", headers: PairedDevice.watch.headers)
            try await eventually(within: .seconds(10), "a part of it") {
                try probe.take(1)
                return !probe.unread.isEmpty
            }
            _ = try await server.send(
                "DELETE", "/api/devices/\(PairedDevice.watch.id)", headers: PairedDevice.owner)

            let length = Int(try await probe.head().headers["content-length"] ?? "") ?? 0
            try await probe.waitForClose()
            #expect(length > 6_000_000 && probe.unread.count < length)
        }
    }

    @Test(arguments: ["&follow=false", ""])
    func `a replay on its way to it does not end as a whole one does`(_ more: String) async throws {
        try await withDevices({ $0.ring = 100 }) { server in
            let id = try await Self.session(server)
            try server.appendLarge("a", 2...3000, bytes: 2000)
            try await eventually(within: .seconds(20), "all events") {
                let list = try await server.get("/api/sessions", headers: PairedDevice.owner).json()
                return (list as? [[String: Any]])?.first?["last_seq"] as? Int == 3000
            }
            // More than can be read from the disk at once, so that most have nothing to be sent at the moment.
            var probes: [HTTPProbe] = []
            for number in 0..<30 {
                let probe = try server.probe()
                let headers = PairedDevice.watch.headers.merging(["Last-Event-ID": "\(number)"]) { $1 }
                try await probe.request(
                    "/api/sessions/\(id)/events.ndjson?control=events\(more)", headers: headers)
                probes.append(probe)
            }
            for probe in probes { _ = try await probe.head() }
            _ = try await server.send(
                "DELETE", "/api/devices/\(PairedDevice.watch.id)", headers: PairedDevice.owner)

            var cut = 0
            for probe in probes {
                let lines = try await probe.linesToEnd()
                if lines.contains(where: { $0.contains("\"seq\":3000,") }) { continue }
                cut += 1
                #expect(!probe.hasEndedCleanly)
                #expect(!lines.contains { $0.contains("synced") })
            }
            #expect(cut > 0)
        }
    }

    @Test func `what waits of a stream that has ended is not sent to it`() async throws {
        try await withTemporaryDirectory { directory in
            try PairedDevice.store(in: directory)
            try await withServerParts(in: directory, { $0.apiKey = PairedDevice.key }) { server, parts in
                let id = try await Self.session(server)
                let probe = try HTTPProbe(port: server.port, receiveBytes: 65_536)
                try await probe.request(
                    "/api/sessions/\(id)/events?tail=0", headers: PairedDevice.watch.headers)
                _ = try await probe.head()
                // More than the kernel has room for.
                try server.appendLarge("a", 2...1000, bytes: 8000)
                try await eventually(within: .seconds(20), "a stream that is behind") {
                    parts.feed.globalHead >= 1000 && parts.counters.lagged.load(ordering: .relaxed) > 0
                }
                let session = try #require(SessionID(id))
                await parts.endings.end(session, after: 0)
                _ = try await server.send(
                    "DELETE", "/api/devices/\(PairedDevice.watch.id)", headers: PairedDevice.owner)

                // Though nothing of it is taken.
                try await eventually(within: .seconds(10), "a stream that is gone") {
                    parts.counters.open.load(ordering: .relaxed) == 0
                }
                _ = try await probe.linesToEnd()
                #expect(!probe.hasEndedCleanly)
            }
        }
    }

    @Test func `its token counts nowhere any more`() async throws {
        try await withDevices { server in
            let before = try await server.get("/api/device", headers: PairedDevice.steer.headers)
            _ = try await server.send(
                "DELETE", "/api/devices/\(PairedDevice.steer.id)", headers: PairedDevice.start.headers)

            #expect(before.status == 200)
            for path in ["/api/sessions", "/api/device", "/health", "/api/events"] {
                try await server.expect(401, path, headers: PairedDevice.steer.headers)
            }
        }
    }

    @Test func `a request that it had begun is not carried out`() async throws {
        try await withDevices { server in
            let stream = try server.probe()
            let command = try server.probe()
            let head =
                "HTTP/1.1\r\nHost: localhost\r\nX-Api-Key: \(PairedDevice.watch.token)\r\nContent-Length: 2\r\n\r\n"
            try await stream.send("GET /api/events " + head + "{")
            try await command.send("POST /api/stream-tickets " + head + "{")
            // Both heads have been read when the device's last address is known.
            try await eventually(within: .seconds(10), "both heads") {
                let devices = try await server.get("/api/devices", headers: PairedDevice.owner).json()
                return (devices as? [[String: Any]])?.first?["last_seen"] is String
            }
            _ = try await server.send(
                "DELETE", "/api/devices/\(PairedDevice.watch.id)", headers: PairedDevice.owner)
            try await stream.send("}")
            try await command.send("}")

            let streamStatus = try await stream.response().status
            #expect(streamStatus == 401)
            let commandStatus = try await command.response().status
            #expect(commandStatus == 401)
        }
    }

    @Test(arguments: ["/api/devices/\(PairedDevice.start.id)", "/api/device"])
    func `a pairing ticket that it made before buys nothing`(_ path: String) async throws {
        try await withDevices { server in
            let ticket = try await server.ticket(#"{"scope":"start"}"#, PairedDevice.start.headers)
            let other = try await server.ticket("{}", PairedDevice.owner)
            try await expectStatus(200, server.send("DELETE", path, headers: PairedDevice.start.headers))

            try await expectStatus(401, server.redeem(ticket))
            try await expectStatus(401, server.get("/pair.svg?t=\(ticket)"))
            try await expectStatus(201, server.redeem(other))
        }
    }

    @Test func `it is still gone after a restart`() async throws {
        try await withTemporaryDirectory { directory in
            try PairedDevice.store(in: directory)
            try await withServer(in: directory, { $0.apiKey = PairedDevice.key }) { server in
                _ = try await server.send("DELETE", "/api/device", headers: PairedDevice.start.headers)
            }
            try await withServer(in: directory, { $0.apiKey = PairedDevice.key }) { server in
                try await server.expect(401, "/api/device", headers: PairedDevice.start.headers)
                try await server.expect(200, "/api/device", headers: PairedDevice.watch.headers)
            }
        }
    }

    private static func session(_ server: RunningServer) async throws -> String {
        try server.root.write("a/.ralph/events.jsonl", RunningServer.lines(1...1, when: true))
        var id = ""
        try await eventually(within: .seconds(10), "the session") {
            let list = try await server.get("/api/sessions", headers: PairedDevice.owner).json()
            id = (list as? [[String: Any]])?.first?["id"] as? String ?? ""
            return !id.isEmpty
        }
        return id
    }
}
