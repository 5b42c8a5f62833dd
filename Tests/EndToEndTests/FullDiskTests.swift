import Foundation
import RalphTestSupport
import Testing

extension EndToEnd {
    /// A state directory on a file system without room.
    struct FullDiskTests {
        @Test(.enabled(if: FullDisk.canBeMounted, "a small file system cannot be mounted here"))
        func `a full disk stops nothing but the storing and nothing is lost once there is room`() async throws
        {
            try await withTemporaryDirectory { place in
                let disk = try #require(FullDisk(below: place))
                defer { disk.unmount() }
                try place.appendLines(1...10, to: "a")
                let service = try await Service(in: place, state: disk.path + "/state")
                let id = try await service.session("a", events: 10)
                let probe = try await service.stream("/api/sessions/\(id)/events")
                #expect(try await probe.eventIDs(10) == Array(1...10))

                let filler = try disk.fill()
                try place.appendLines(11...310, to: "a", padding: String(repeating: "x", count: 1000))
                try await eventually(within: .seconds(10), "trouble that is told") {
                    (try await service.health()["store"] as? String)?.contains("disk is full") == true
                }
                #expect(try await service.get("/health").text == "OK")
                #expect(try await service.payloads(id) == (1...10).map { "n\($0)" })

                try FileManager.default.removeItem(atPath: filler)
                #expect(try await probe.eventIDs(300) == Array(11...310))
                try place.appendLines(311...311, to: "a")
                #expect(try await probe.eventIDs(1) == [311])
                #expect(try await service.health()["store"] as? String == "ok")
                #expect(
                    try await service.payloads(id).map { $0.prefix { $0 != "x" } }
                        == (1...311).map { "n\($0)" })
            }
        }

        @Test(.enabled(if: FullDisk.canBeMounted, "a small file system cannot be mounted here"))
        func `a full disk that refuses commands is told though no event comes`() async throws {
            try await withTemporaryDirectory { place in
                let disk = try #require(FullDisk(below: place))
                defer { disk.unmount() }
                try place.appendLines(1...10, to: "a")
                let service = try await Service(in: place, state: disk.path + "/state")
                _ = try await service.session("a", events: 10)
                let filler = try disk.fill()
                try await eventually(within: .seconds(20), "a refused command that is told") {
                    // A moment later there may be room for one again.
                    let status = try await addTask(service)
                    let isTold = try await isWritable(service) == [false, false, false]
                    return status == 503 && isTold
                }

                try FileManager.default.removeItem(atPath: filler)
                try await eventually(within: .seconds(20), "a store that is ready") {
                    try await isWritable(service) == [true, true, true]
                }
                #expect(try await addTask(service) == 201)
            }
        }

        private func addTask(_ service: Service) async throws -> Int {
            let probe = try HTTPProbe(port: service.port)
            try await probe.request(
                "/api/tasks", method: "POST",
                headers: ["Content-Type": "application/json", "Content-Length": "18"])
            try await probe.send(#"{"title":"quagga"}"#)
            return try await probe.response().status
        }

        /// What everybody who may tell says of it.
        private func isWritable(_ service: Service) async throws -> [Bool] {
            let metrics = try await service.get("/metrics").text
            return [
                try await service.get("/readyz").status == 200,
                try await service.health()["status"] as? String == "ok",
                metrics.contains("\nralph_mobile_store_writable 1\n"),
            ]
        }
    }
}
