import Foundation
import RalphTestSupport
import Testing

@testable import RalphServer

/// How many streams and connections one device and one peer can have.
@Suite(.timeLimit(.minutes(1)))
struct SeatTests {
    private static let key = "0123456789abcdef"

    private func status(_ server: RunningServer, _ headers: [String: String]) async throws -> (
        Int, HTTPProbe
    ) {
        let probe = try server.probe()
        try await probe.request("/api/events", headers: headers)
        return (try await probe.head().status, probe)
    }

    @Test func `a device has 64 streams, and a place again when one has ended`() async throws {
        try await withTemporaryDirectory { directory in
            let token = try WrongKeyTests.pair(in: directory)
            try await withServer(in: directory, { $0.apiKey = Self.key }) { server in
                let headers = ["Authorization": "Bearer \(token)"]
                var probes: [HTTPProbe] = []
                for _ in 0..<64 {
                    let (status, probe) = try await status(server, headers)
                    #expect(status == 200)
                    probes.append(probe)
                }
                let refused = try await server.get("/api/events", headers: headers)
                #expect(refused.status == 429)
                #expect(try refused.object()["error"] as? String == "too_many_streams")
                #expect(refused.headers["retry-after"] == "5")
                #expect(try await server.get("/api/sessions", headers: headers).status == 200)

                probes.removeLast().close()
                try await eventually(within: .seconds(5), "a place") {
                    try await status(server, headers).0 == 200
                }
                withExtendedLifetime(probes) {}
            }
        }
    }

    @Test func `a peer elsewhere has as many streams as it may, and others have their own`() async throws {
        try await withServer({
            $0.apiKey = Self.key
            $0.trustedProxies = ["127.0.0.1"]
            $0.streams.maximumPerPeer = 3
        }) { server in
            let key = ["X-Api-Key": Self.key]
            func headers(_ address: String) -> [String: String] {
                key.merging(["X-Forwarded-For": address]) { $1 }
            }
            var probes: [HTTPProbe] = []
            for number in 1...3 {
                let (status, probe) = try await status(server, headers("2001:db8::\(number)"))
                #expect(status == 200)
                probes.append(probe)
            }
            #expect(try await status(server, headers("2001:db8::9")).0 == 429)
            #expect(try await status(server, headers("192.0.2.7")).0 == 200)
            #expect(try await status(server, key).0 == 200)
            withExtendedLifetime(probes) {}
        }
    }

    @Test func `what has no more streams leaves nothing behind`() throws {
        let seats = StreamSeats(StreamLimits(), counters: LimitCounters())
        let device = try #require(DeviceID("0123456789ab"))
        let caller = Caller(peer: "192.0.2.1", access: .device(device))
        let taken = try (0..<10).map { _ in try seats.take(for: caller, at: PeerNetwork("192.0.2.1")) }
        #expect(seats.count == 2)
        for seat in taken { seats.giveBack(seat) }

        #expect(seats.count == 0)
    }

    @Test func `connections of one peer above the limit are told so and closed`() async throws {
        try await withServer({
            $0.http.maximumConnectionsPerPeer = 2
            $0.http.countsLoopback = true
        }) { server in
            var kept = try [server.probe(), server.probe()]
            for probe in kept {
                try await probe.request("/health")
                #expect(try await probe.response().status == 200)
            }
            let refused = try server.probe()
            #expect(try await refused.response().status == 503)
            try await refused.waitForClose()

            kept.removeLast().close()
            try await eventually(within: .seconds(5), "a place") {
                try await server.get("/health").status == 200
            }
        }
    }

    @Test func `neither this machine nor a trusted proxy is counted`() throws {
        let proxy = try #require(AddressRange("10.0.0.0/8"))
        var limits = HTTPLimits()
        limits.maximumConnectionsPerPeer = 1
        let seats = ConnectionSeats(limits, proxies: [proxy], counters: LimitCounters())
        for address in ["127.0.0.1", "::1", "10.1.2.3", nil] {
            #expect(seats.take(address) && seats.take(address))
        }

        #expect(seats.take("192.0.2.1") && !seats.take("192.0.2.1"))
        seats.giveBack("192.0.2.1")
        #expect(seats.count == 0)
    }
}
