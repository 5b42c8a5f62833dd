import Foundation
import RalphTestSupport
import Testing

@testable import RalphServer

/// `server.json`, by which tools of the same user find the running server.
@Suite(.timeLimit(.minutes(1)))
struct RunningRecordTests {
    @Test func `it is for its owner alone and names the port and a key`() async throws {
        try await withDevices { server in
            let record = try await Self.record(server)

            let mode = try server.root.mode(".state/server.json")
            #expect(mode == 0o600)
            #expect(record["port"] as? Int == server.port)
            #expect(record["pid"] as? Int32 == ProcessInfo.processInfo.processIdentifier)
            #expect((record["key"] as? String)?.count == 64)
            #expect(record["key"] as? String != PairedDevice.key)
        }
    }

    @Test func `its key opens everything from this machine and nothing from elsewhere`() async throws {
        try await withDevices { server in
            let key = try await Self.record(server)["key"] as? String ?? ""
            let headers = ["X-Api-Key": key]

            try await server.expect(200, "/api/devices", headers: headers)
            for more in [["X-Forwarded-For": "127.0.0.1"], ["Via": "1.1 x"]] {
                try await server.expect(401, "/api/devices", headers: headers.merging(more) { $1 })
            }
            let probe = try server.probe()
            try await probe.send(
                "GET /api/devices HTTP/1.1\r\nHost: mac.local\r\nX-Api-Key: \(key)\r\n\r\n")
            let status = try await probe.response().status
            #expect(status == 401)
        }
    }

    @Test func `it ends with the server and the next one has another key`() async throws {
        try await withTemporaryDirectory { directory in
            let first = KeptText()
            try await withServer(in: directory, { $0.apiKey = PairedDevice.key }) { server in
                first.set(try await Self.record(server)["key"] as? String ?? "")
            }
            #expect(!FileManager.default.fileExists(atPath: directory.path + "/.state/server.json"))
            try await withServer(in: directory, { $0.apiKey = PairedDevice.key }) { server in
                let key = try await Self.record(server)["key"] as? String
                #expect(key != first.text)
                try await server.expect(401, "/api/devices", headers: ["X-Api-Key": first.text])
            }
        }
    }

    @Test func `what the disk did not take at the start is written later`() async throws {
        try await withTemporaryDirectory { directory in
            let obstacle = directory.path + "/.state/server.json.new"
            try FileManager.default.createDirectory(atPath: obstacle, withIntermediateDirectories: true)
            chmod(directory.path + "/.state", 0o700)
            try await withServer(in: directory) { server in
                try await eventually(within: .seconds(10), "the start") {
                    server.said.all.contains { $0.hasPrefix("Starting ") }
                }
                #expect(!FileManager.default.fileExists(atPath: server.root.path + "/.state/server.json"))
                #expect(rmdir(obstacle) == 0)

                let record = try await Self.record(server)
                #expect(record["port"] as? Int == server.port)
            }
        }
    }

    @Test(.enabled(if: geteuid() == 0)) func `another user's record is told as one`() async throws {
        try await withTemporaryDirectory { directory in
            #expect(RunningRecord(path: directory.path + "/server.json").write(host: "::1", port: 1))
            chown(directory.path + "/server.json", 12_345, 12_345)

            let problem = #expect(throws: ConfigurationProblem.self) {
                try RunningContents.read(stateDirectory: directory.path)
            }
            #expect(
                problem?.description.hasSuffix("belongs to user number 12345; run this as that user.") == true
            )
        }
    }

    @Test func `writers at once do not get in each other's way`() async throws {
        try await withTemporaryDirectory { directory in
            let record = RunningRecord(path: directory.path + "/server.json")
            await withTaskGroup(of: Bool.self) { group in
                for _ in 0..<4 {
                    group.addTask { (1...50).allSatisfy { record.write(host: "::1", port: $0) } }
                }
                for await areWritten in group { #expect(areWritten) }
            }
            #expect(record.isWritten)
            let names = try directory.names(in: "")
            #expect(names == ["server.json"])
        }
    }

    @Test func `a server that goes takes no other server's record with it`() async throws {
        try await withTemporaryDirectory { directory in
            let records = (1...2).map { _ in RunningRecord(path: directory.path + "/server.json") }
            #expect(records[0].write(host: "::1", port: 1))
            // The state directory was put aside, and another server began with a new one.
            #expect(records[1].write(host: "::1", port: 2))
            records[0].remove()
            let names = try directory.names(in: "")
            #expect(names == ["server.json"])
            records[1].remove()
            let left = try directory.names(in: "")
            #expect(left.isEmpty)
        }
    }

    private static func record(_ server: RunningServer) async throws -> [String: Any] {
        var record: [String: Any] = [:]
        try await eventually(within: .seconds(10), "server.json") {
            let data = try Data(contentsOf: URL(fileURLWithPath: server.root.path + "/.state/server.json"))
            record = try JSONSerialization.jsonObject(with: data) as? [String: Any] ?? [:]
            return true
        }
        return record
    }
}
