import Foundation
import RalphTestSupport
import Testing

extension EndToEnd {
    /// Very many of everything.
    struct ManyTests {
        /// Descriptors that a test process needs beside those of its streams.
        private static let ownDescriptors = 500
        /// What an idle stream may cost: design 10 has 10 KB in an optimised program, and this one may not be.
        private static let bytesPerStream = 30_000
        /// The store opens its readers when several ask at once: two files each, five readers at most.
        private static let readerDescriptors = 10

        @Test func `streams that come and go leave no descriptor behind`() async throws {
            try await withTemporaryDirectory { place in
                try place.appendLines(1...10, to: "a")
                let service = try await Service(in: place)
                let id = try await service.session("a", events: 10)
                // The first streams open what stays open, such as the readers of the store.
                for _ in 0..<20 { try await comeAndGo(service, id) }
                try await waitForNoStreams(service)
                let before = service.process.descriptors
                for _ in 0..<200 { try await comeAndGo(service, id) }

                try await waitForNoStreams(service)
                try await eventually(within: .seconds(5), "\(before) descriptors") {
                    service.process.descriptors <= before + Self.readerDescriptors
                }
            }
        }

        @Test func `the limit on descriptors is raised as far as is allowed`() async throws {
            try await withTemporaryDirectory { place in
                let process = try ServerProcess(
                    ["-c", "ulimit -Sn 256; exec \(ServerProcess.binary) --port 0"], in: place,
                    binary: "/bin/sh")
                _ = try await process.port()
                let values = try DescriptorRoom.limits(of: "\(process.pid)")

                #expect(values.count == 2)
                #expect(values[0] == min(values[1], 1 << 20))
            }
        }

        @Test func `ten thousand quiet streams are kept and go without a trace`() async throws {
            // A client and a server each need a descriptor a stream; the limit of both is what is allowed here.
            let count = try DescriptorRoom.take(10_000, beside: 2 * Self.ownDescriptors)
            try await withTemporaryDirectory { place in
                try place.appendLines(1...1, to: "a")
                let service = try await Service(in: place)
                let id = try await service.session("a", events: 1)
                try await comeAndGo(service, id)
                try await waitForNoStreams(service)
                let before = service.process.descriptors
                let memory = service.process.residentBytes
                var probes: [HTTPProbe] = []
                for _ in 0..<count {
                    let probe = try HTTPProbe(port: service.port)
                    try await probe.request("/api/sessions/\(id)/events?replay=none")
                    probes.append(probe)
                }
                for probe in probes { try await expectOpening(probe) }
                #expect(service.process.descriptors > count)
                #expect((service.process.residentBytes - memory) / count < Self.bytesPerStream)
                #expect(try await service.get("/health").text == "OK")

                for probe in probes { probe.close() }
                try await waitForNoStreams(service)
                try await eventually(within: .seconds(10), "\(before) descriptors") {
                    service.process.descriptors <= before + Self.readerDescriptors
                }
            }
        }

        @Test func `five thousand sessions are listed and a new line arrives within two seconds`()
            async throws
        {
            try await withTemporaryDirectory(below: "/dev/shm") { place in
                for number in 1...5000 { try place.appendLines(1...1, to: "group\(number / 100)/s\(number)") }
                let service = try await Service(in: place, within: .seconds(60))
                // It listens before its first look is over, where that takes long.
                try await eventually(within: .seconds(60), "a first look that is over") {
                    try await service.get("/readyz").status == 200
                }
                let list = try await service.get("/api/sessions").json() as? [[String: Any]]
                #expect(list?.count == 5000)
                #expect(try await service.health()["sessions"] as? Int == 5000)

                for number in [1, 2500, 5000] {
                    let workspace = "group\(number / 100)/s\(number)"
                    let id = try await service.session(workspace, events: 1)
                    let probe = try await service.stream("/api/sessions/\(id)/events")
                    #expect(try await probe.eventIDs(1) == [1])
                    _ = try await service.expectLines(
                        of: workspace, after: 1, on: probe, within: .seconds(2))
                }
            }
        }

        private func comeAndGo(_ service: Service, _ id: String) async throws {
            let probe = try await service.stream("/api/sessions/\(id)/events?tail=all")
            _ = try await probe.eventIDs(1)
            probe.close()
        }

        private func expectOpening(_ probe: HTTPProbe) async throws {
            let (status, _) = try await probe.head(within: .seconds(15))
            let frame = try await probe.frame(within: .seconds(15))
            #expect(status == 200)
            #expect(frame?.comments.first?.hasPrefix("open") == true)
        }

        private func waitForNoStreams(_ service: Service) async throws {
            try await eventually(within: .seconds(10), "no stream open") {
                let streams = try await service.health()["streams"] as? [String: Any]
                return streams?["open"] as? Int == 0
            }
        }
    }
}
