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
    }
}
