import Foundation
import RalphTestSupport
import Testing

@testable import RalphServer

@Suite(.timeLimit(.minutes(1)))
struct DeviceRoutesTests {
    @Test func `the list has every device and nothing of its token`() async throws {
        try await withDevices { server in
            _ = try await server.get("/api/sessions", headers: PairedDevice.watch.headers)
            let response = try await server.get("/api/devices", headers: PairedDevice.owner)
            let list = try #require(try response.json() as? [[String: Any]])

            #expect(list.map { $0["id"] as? String } == PairedDevice.all.map(\.id))
            #expect(list[2]["scopes"] as? [String] == ["watch", "answer", "steer"])
            #expect(list[0]["last_peer"] as? String == "127.0.0.1")
            #expect(list[0]["last_seen"] is String)
            #expect(list[1]["last_seen"] is NSNull || list[1]["last_seen"] == nil)
            #expect(!response.text.contains("rmd_"))
            #expect(!response.text.lowercased().contains("digest"))
        }
    }

    @Test func `a device sees itself and takes its leave`() async throws {
        try await withDevices { server in
            let own = try await server.get("/api/device", headers: PairedDevice.answer.headers).object()
            let left = try await server.send("DELETE", "/api/device", headers: PairedDevice.answer.headers)

            #expect(own["id"] as? String == PairedDevice.answer.id)
            #expect(own["scope"] as? String == "answer")
            #expect(left.status == 200)
            try await server.expect(401, "/api/device", headers: PairedDevice.answer.headers)
            let list = try await server.get("/api/devices", headers: PairedDevice.owner).json()
            #expect((list as? [Any])?.count == 3)
        }
    }

    @Test func `the key is no device`() async throws {
        try await withDevices { server in
            for method in ["GET", "DELETE"] {
                let response = try await server.send(method, "/api/device", headers: PairedDevice.owner)
                #expect(response.status == 404)
                let error = try response.object()["error"] as? String
                #expect(error == "device_not_found")
            }
        }
    }

    @Test(arguments: ["000000000009", "x", "00000000000", "%2e%2e", "0000000000011"])
    func `a device that is not there is a 404`(_ id: String) async throws {
        try await withDevices { server in
            let response = try await server.send("DELETE", "/api/devices/\(id)", headers: PairedDevice.owner)
            #expect(response.status == 404)
            try await server.expect(200, "/api/device", headers: PairedDevice.watch.headers)
        }
    }

    @Test func `a revocation that cannot be stored counts and says so, and is stored as soon as it can be`()
        async throws
    {
        try await withDevices { server in
            // What stands in the way of the file's next version.
            try server.root.write(".state/devices.json.new/x", "")
            let response = try await server.send(
                "DELETE", "/api/devices/\(PairedDevice.watch.id)", headers: PairedDevice.owner)

            #expect(response.status == 503)
            let error = try response.object()["error"] as? String
            #expect(error == "device_not_stored")
            try await server.expect(401, "/api/device", headers: PairedDevice.watch.headers)

            try server.root.remove(".state/devices.json.new")
            try await eventually(within: .seconds(20), "the file is without it") {
                try DeviceBook(path: server.root.path + "/.state/devices.json")
                    .device(#require(DeviceID(PairedDevice.watch.id))) == nil
            }
        }
    }
}
