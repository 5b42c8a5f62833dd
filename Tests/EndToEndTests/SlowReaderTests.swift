import RalphTestSupport
import Testing

extension EndToEnd {
    /// Clients that take large events slowly or not at all.
    struct SlowReaderTests {
        private static let events = 300
        private static let residentLimit = 200 << 20

        @Test(arguments: [
            ("/events.ndjson?tail=all", 1000), ("/events?tail=all&topic=*", 1000),
            ("/events?tail=all&topic=*", 100), ("/events?tail=all&payload=object", 1000),
            ("/history?after_seq=0&limit=1000", 1000),
        ])
        func `a client that reads nothing costs its cursor and not what it asked for`(
            path: String, ring: Int
        ) async throws {
            try await withTemporaryDirectory { place in
                let padding = String(repeating: "x", count: 200_000)
                try place.appendLines(1...1, to: "a")
                let service = try await Service(in: place, ["--ring", String(ring)])
                _ = try await service.session("a", events: 1)
                for number in 2...Self.events {
                    try place.appendLines(number...number, to: "a", padding: padding)
                }
                let id = try await service.session("a", events: Self.events)
                var stalled: [HTTPProbe] = []
                for _ in 1...5 {
                    let probe = try HTTPProbe(port: service.port)
                    try await probe.request("/api/sessions/\(id)" + path)
                    stalled.append(probe)
                }

                // Once one that reads has everything, those have had what they would get.
                let ids = try await service.stream("/api/sessions/\(id)/events?tail=all&follow=false")
                    .eventsToEnd(within: .seconds(40)).compactMap { $0.id.flatMap(Int.init) }
                #expect(ids == Array(1...Self.events))
                // They were not stalled for another reason.
                #expect(try await service.get("/api/sessions/\(id)" + path).status == 200)
                #expect(service.process.peakResidentBytes < Self.residentLimit)
            }
        }
    }
}
