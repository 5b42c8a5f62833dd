import Foundation
import RalphServer
import RalphTestSupport
import Testing

/// Commands while nothing can be stored.
@Suite(.timeLimit(.minutes(2)))
struct FullDiskControlTests {
    /// Runs `body` with a run at work and the server's disk full, until `body` makes room.
    private func withFullDisk(
        _ body:
            @Sendable @escaping (RunningServer, _ id: String, _ makeRoom: () throws -> Void) async throws
            -> Void
    ) async throws {
        var setup = StandInSetup(steps: "always:\n  wait 50\n  emit slice.planned next\n")
        setup.eventLoop = ["max_iterations: 100000"]
        try await withStandInWorkspace(setup) { workspace in
            let disk = try #require(FullDisk(below: workspace.outside))
            defer { disk.unmount() }
            try await withServer(
                in: workspace.outside,
                {
                    $0.ralph = StandIn.ralph
                    $0.stateDirectory = disk.path + "/state"
                    $0.hasSearch = false
                }
            ) { server in
                let id = try await server.start()
                try await server.waitFor(id, "phase", "iterating")
                let filler = try disk.fill()
                try await eventually(within: .seconds(20), "trouble that is told") {
                    // Events come, and nothing of them is stored.
                    try await server.get("/readyz").status == 503
                }
                try await body(server, id) { try FileManager.default.removeItem(atPath: filler) }
            }
        }
    }

    @Test(.enabled(if: FullDisk.canBeMounted, "a small file system cannot be mounted here"))
    func `a pause and a stop are carried out, with their keys, and shown as they are`() async throws {
        try await withFullDisk { server, id, makeRoom in
            let pause = try await server.post(
                "/api/sessions/\(id)/pause", headers: ["Idempotency-Key": "pause"])
            #expect(pause.status == 200, "\(pause.text)")
            try await server.waitFor(id, "phase", "suspended")
            #expect(try await server.status(id)["status"] as? String == "paused")

            for _ in 0..<2 {
                let stop = try await server.send(
                    "DELETE", "/api/sessions/\(id)?force=1", headers: ["Idempotency-Key": "stop"])
                #expect(stop.status == 200, "\(stop.text)")
                #expect(stop.headers["idempotency-replayed"] == nil)
            }
            let stopped = try await server.status(id)
            #expect(stopped["status"] as? String == "stopped" && stopped["phase"] as? String == "ended")
            #expect(stopped["pid"] == nil)
            let other = try await server.post(
                "/api/sessions/\(id)/steer", #"{"message":"quagga"}"#, headers: ["Idempotency-Key": "steer"])
            #expect(other.status == 503)

            try makeRoom()
            try await eventually(within: .seconds(20), "a store that works") {
                try await server.get("/readyz").status == 200
            }
            // Told once its row, which waited for room, is read.
            try await server.waitFor(id, "end_reason", "stopped")
            #expect(try await server.status(id)["status"] as? String == "stopped")
        }
    }

    @Test(.enabled(if: FullDisk.canBeMounted, "a small file system cannot be mounted here"))
    func `a purge that cannot be stored says so behind a stop that was done`() async throws {
        try await withFullDisk { server, id, makeRoom in
            let stop = try await server.send("DELETE", "/api/sessions/\(id)?force=1&purge=true")
            #expect(stop.status == 200, "\(stop.text)")
            #expect(try stop.object()["status"] as? String == "stopped")
            #expect((try stop.object()["purge_error"] as? String)?.isEmpty == false)
            // Nothing is left to be done but what fails.
            let again = try await server.send("DELETE", "/api/sessions/\(id)?purge=true")
            #expect(again.status == 503, "\(again.text)")

            try makeRoom()
            try await eventually(within: .seconds(20), "a purge") {
                let purge = try await server.send("DELETE", "/api/sessions/\(id)?purge=true")
                let error = try purge.object()["purge_error"]
                return purge.status == 200 && error == nil
            }
            #expect(try await server.get("/api/sessions/\(id)").status == 404)
        }
    }
}
