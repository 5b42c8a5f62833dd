import Foundation
import RalphTestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct HostRoutesTests {
    @Test(arguments: ["/api/host/metrics", "/api/metrics/host"])
    func `metrics have every field that the client must find`(_ path: String) async throws {
        try await withServer { server in
            let response = try await server.get(path)
            let object = try response.object()

            #expect(response.headers["cache-control"] == "no-store")
            for (group, members) in [
                ("cpu", ["usage_percent", "cores"]), ("memory", ["usage_percent", "used_gb", "total_gb"]),
                ("disk", ["usage_percent", "used_gb", "total_gb"]),
                ("network", ["download_mbps", "upload_mbps"]),
            ] {
                let object = object[group] as? [String: Any] ?? [:]
                #expect(members.allSatisfy { object[$0] is NSNumber })
            }
            #expect((object["load_avg"] as? [Double])?.count == 3)
            #expect(((object["memory"] as? [String: Any])?["total_gb"] as? Double ?? 0) > 0)
            #expect(((object["cpu"] as? [String: Any])?["cores"] as? Int ?? 0) > 0)
        }
    }

    @Test(arguments: ["/api/host/processes", "/api/metrics/processes"])
    func `processes have every field, and each its own pid`(_ path: String) async throws {
        try await withServer { server in
            let list = try await server.get(path).object()["processes"] as? [[String: Any]] ?? []

            #expect((1...10).contains(list.count))
            #expect(Set(list.compactMap { $0["pid"] as? Int }).count == list.count)
            #expect(list.allSatisfy { $0["name"] is String && $0["cpu_percent"] is NSNumber })
            #expect(list.allSatisfy { $0["memory_mb"] is NSNumber })
        }
    }
}
