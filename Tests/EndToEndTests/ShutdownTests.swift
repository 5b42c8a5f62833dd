import Foundation
import RalphTestSupport
import Testing

extension EndToEnd {
    /// How the process ends.
    struct ShutdownTests {
        @Test func `SIGTERM ends every stream properly and the process within two seconds`() async throws {
            try await atBest(within: .seconds(2), "the end") {
                try await withTemporaryDirectory { place in try await endFiftyStreams(in: place) }
            }
        }

        /// How long the process took to end.
        private func endFiftyStreams(in place: TemporaryDirectory) async throws -> Duration {
            try place.appendLines(1...3, to: "a")
            let service = try await Service(in: place)
            let id = try await service.session("a", events: 3)
            var probes: [HTTPProbe] = []
            for _ in 0..<50 { probes.append(try await service.stream("/api/sessions/\(id)/events")) }
            for probe in probes { _ = try await probe.eventIDs(3) }

            let start = ContinuousClock.now
            service.process.signal(SIGTERM)
            #expect(try await service.process.exitStatus() == 0)
            // However long it takes here to read what the streams ended with.
            let took = ContinuousClock.now - start
            var retries: [Int] = []
            for probe in probes {
                let last = try await lastRetry(of: probe)
                retries.append(try #require(last))
                #expect(probe.hasEndedCleanly)
            }
            #expect(retries.allSatisfy { (500...4500).contains($0) })
            #expect(Set(retries).count > 25)
            return took
        }

        @Test func `a client that reads nothing does not hold the end up`() async throws {
            try await withTemporaryDirectory { place in
                let (service, probe) = try await serviceWithStuckClient(in: place)
                let start = ContinuousClock.now
                service.process.signal(SIGINT)

                #expect(try await service.process.exitStatus() == 0)
                // Two, which are promised, and one for a disk with other things to do.
                #expect(ContinuousClock.now - start < .seconds(3))
                withExtendedLifetime(probe) {}
            }
        }

        @Test func `a client that was refused and sends on does not hold the end up`() async throws {
            try await atBest(within: .seconds(1), "the end") {
                try await withTemporaryDirectory { place in
                    let service = try await Service(in: place)
                    let probe = try HTTPProbe(port: service.port)
                    try await probe.request(
                        "/api/sessions", method: "POST", headers: ["Content-Length": "99999999"])
                    #expect(try await probe.response().status == 413)
                    let start = ContinuousClock.now
                    service.process.signal(SIGTERM)

                    #expect(try await service.process.exitStatus() == 0)
                    let took = ContinuousClock.now - start
                    withExtendedLifetime(probe) {}
                    return took
                }
            }
        }

        @Test(arguments: ["events?tail=all&poll=1", "events.ndjson?tail=all&follow=false&control=events"])
        func `a replay that it cuts does not end as a whole one does`(_ stream: String) async throws {
            try await withTemporaryDirectory { place in
                let (service, probe) = try await serviceWithStuckClient(in: place, stream)
                service.process.signal(SIGTERM)
                try await eventually(within: .seconds(5), "the end of listening") {
                    (try? HTTPProbe(port: service.port)) == nil  // refused: the shutdown has begun
                }
                let lines = try await probe.linesToEnd()

                #expect(!probe.hasEndedCleanly)
                #expect(lines.contains { $0.contains("\"n1x") } && !lines.contains { $0.contains("\"n500x") })
                #expect(!lines.contains { $0.contains("synced") })
                #expect(try await service.process.exitStatus() == 0)
            }
        }

        @Test func `a second signal ends the process at once`() async throws {
            try await withTemporaryDirectory { place in
                let (service, probe) = try await serviceWithStuckClient(in: place)
                service.process.signal(SIGTERM)
                try await eventually(within: .seconds(5), "the end of listening") {
                    (try? HTTPProbe(port: service.port)) == nil  // refused: the shutdown has begun
                }
                #expect(service.process.isRunning)
                // In nanoseconds; empty where the kernel tells nothing.
                let slices = service.process.slices
                #expect(slices.isEmpty || slices.contains { $0 <= 100_000 })
                service.process.signal(SIGTERM)

                #expect(try await service.process.exitStatus() == 143)
                // By the kernel, whatever hangs in the server.
                #expect(service.process.wasKilled)
                withExtendedLifetime(probe) {}
            }
        }

        @Test func `it does not wait for a run that the last server was ending, and the next one ends that`()
            async throws
        {
            try await withTemporaryDirectory { place in
                let tree = TemporaryDirectory(path: place.path + "/tree")
                try tree.write("x", "")
                var setup = StandInSetup(steps: "always:\n  touch began\n  wait-for .go\n")
                setup.agentArguments = ["--ignore-term"]
                let workspace = try await StandInWorkspace(setup, in: tree)
                defer { workspace.cleanUp() }
                _ = try workspace.run()
                try await workspace.waitForFile("began")
                var service = try await Service(in: place)
                let id = try await service.session("project", events: 1)
                let probe = try HTTPProbe(port: service.port)
                try await probe.request("/api/sessions/\(id)", method: "DELETE")
                try await workspace.waitForFile(".ralph/stop-requested")
                service.process.signal(SIGKILL)
                _ = try await service.process.exitStatus()

                service = try await Service(in: place)
                #expect(!workspace.liveProcesses().isEmpty)
                let start = ContinuousClock.now
                service.process.signal(SIGTERM)
                #expect(try await service.process.exitStatus() == 0)
                // Two, which are promised, and one for a disk with other things to do.
                #expect(ContinuousClock.now - start < .seconds(3))
                #expect(!service.process.errors.contains("does not answer"))

                service = try await Service(in: place)
                try await eventually(within: .seconds(20), "the end of the run") {
                    workspace.liveProcesses().isEmpty
                }
            }
        }

        /// A server with a client whose replay cannot be written out.
        private func serviceWithStuckClient(
            in place: TemporaryDirectory, _ stream: String = "events?tail=all"
        ) async throws -> (service: Service, probe: HTTPProbe) {
            try place.appendLines(1...500, to: "a", padding: String(repeating: "x", count: 60_000))
            let service = try await Service(in: place)
            let id = try await service.session("a", events: 500)
            let probe = try await service.stream("/api/sessions/\(id)/\(stream)")
            try await SendQueue.waitUntilStuck(port: service.port)
            return (service, probe)
        }

        private func lastRetry(of probe: HTTPProbe) async throws -> Int? {
            var last: String?
            while let frame = try await probe.frame() { last = frame.retry ?? last }
            return last.flatMap { Int($0) }
        }
    }
}
