import Crypto
import Foundation
import Logging
import RalphFeed
import RalphTestSupport
import RalphWire
import Testing

@testable import RalphServer

/// Requests that are made again.
@Suite(.timeLimit(.minutes(1)))
struct IdempotencyTests {
    private static let key = ["Idempotency-Key": "a-key"]

    @Test func `a steering that is sent again is in the record once and answered the same`() async throws {
        try await withControl { server, _ in
            let id = try await server.start()
            let body = #"{"message":"quagga once"}"#
            let first = try await server.post("/api/sessions/\(id)/steer", body, headers: Self.key)
            let again = try await server.post("/api/sessions/\(id)/steer", body, headers: Self.key)

            #expect(first.headers["idempotency-replayed"] == nil)
            #expect(again.headers["idempotency-replayed"] == "true")
            #expect(again.text == first.text)
            #expect(try await server.topics(id).filter { $0 == "human.guidance" }.count == 1)
            let other = try await server.post(
                "/api/sessions/\(id)/steer", #"{"message":"quagga two"}"#, headers: Self.key)
            #expect(other.status == 409)
            #expect(try other.object()["error"] as? String == "idempotency_conflict")
            _ = try await server.send("DELETE", "/api/sessions/\(id)?force=1")
        }
    }

    @Test func `a key may stand in the body instead`() async throws {
        try await withControl { server, _ in
            let id = try await server.start()
            let body = #"{"message":"quagga once","clientMessageId":"a-message"}"#
            let first = try await server.post("/api/sessions/\(id)/steer", body)
            let again = try await server.post("/api/sessions/\(id)/steer", body)

            #expect(first.status == 200)
            #expect(again.headers["idempotency-replayed"] == "true")
            #expect(try again.object()["seq"] as? Int == first.object()["seq"] as? Int)
            #expect(try await server.topics(id).filter { $0 == "human.guidance" }.count == 1)
            // The header goes before it.
            let other = try await server.post("/api/sessions/\(id)/steer", body, headers: Self.key)
            #expect(other.status == 200)
            #expect(other.headers["idempotency-replayed"] == nil)
            for body in [#"{"message":"quagga","clientMessageId":null}"#, #"{"message":"clientMessageId"}"#] {
                for _ in 0..<2 {
                    let response = try await server.post("/api/sessions/\(id)/steer", body)
                    #expect(response.status == 200)
                    #expect(response.headers["idempotency-replayed"] == nil)
                }
            }
            _ = try await server.send("DELETE", "/api/sessions/\(id)?force=1")
        }
    }

    @Test(arguments: [#""""#, #""a b""#, #""\u00e4""#, "7", "true", "{}", "[]"])
    func `a key in the body that is none is refused`(_ key: String) async throws {
        try await withServer { server in
            let response = try await server.post("/api/tasks", #"{"title":"t","clientMessageId":\#(key)}"#)
            #expect(response.status == 400)
            #expect(response.text.contains("clientMessageId must be 1 to 255"))
            // Nor is it asked for where a body is not read.
            let export = try await server.post(
                "/api/config/export", #"{"clientMessageId":\#(key)}"#)
            #expect(export.status == 404)
            // And no stop fails for it.
            let id = try await server.session("a", lines: 1)
            let stop = try await server.post("/api/sessions/\(id)/stop", #"{"clientMessageId":\#(key)}"#)
            #expect(stop.status == 200, "\(stop.text)")
        }
    }

    @Test func `a start that is sent again over a restart gives the first answer`() async throws {
        try await withStandInWorkspace(StandInSetup(steps: "always:\n  wait-for .ralph-go\n")) { workspace in
            let outside = workspace.outside
            let body = #"{"working_dir":"project","prompt":"quagga go"}"#
            try await withServer(in: outside, { $0.ralph = StandIn.ralph }) { server in
                let first = try await server.post("/api/sessions", body, headers: Self.key)
                #expect(first.status == 201)
                try outside.write("first", first.text)
            }
            try await withServer(in: outside, { $0.ralph = StandIn.ralph }) { server in
                let again = try await server.post("/api/sessions", body, headers: Self.key)
                let id = try #require(try again.object()["id"] as? String)

                #expect(again.status == 201)
                #expect(again.headers["location"] == "/api/sessions/\(id)")
                let text = FileManager.default.contents(atPath: outside.path + "/first") ?? Data()
                #expect(again.text == String(decoding: text, as: UTF8.self))
                _ = try await server.send("DELETE", "/api/sessions/\(id)?force=1")
            }
        }
    }

    @Test(arguments: [("idempotency_interrupted", Int?.none), ("idempotency_not_kept", 201)])
    func `what nobody can answer again is not done again`(_ error: String, _ status: Int?) async throws {
        try await withTemporaryDirectory { directory in
            try directory.write("a/.ralph/events.jsonl", RunningServer.lines(1...1, when: true))
            try await withServer(in: directory) { _ in }
            let body = #"{"title":"quagga"}"#
            var hash = SHA256()
            hash.update(data: Data([0] + body.utf8))
            // As a server that was killed leaves it.
            let configuration = FeedConfiguration(path: directory.path + "/.state/events.sqlite")
            let feed = try EventFeed(configuration, logger: Logger(label: "test"))
            let scope = "POST /api/tasks open"
            _ = try feed.ledger.beginIdempotent(
                key: "a-key", scope: scope, digest: Array(hash.finalize()), at: WallClock.milliseconds())
            if let status {
                let large = [UInt8](repeating: 1, count: ControlLedger.maximumBodyBytes + 1)
                try feed.ledger.finishIdempotent(
                    key: "a-key", scope: scope, status: status, location: nil, body: large)
            }
            feed.close()

            try await withServer(in: directory) { server in
                for _ in 0..<2 {
                    let again = try await server.post("/api/tasks", body, headers: Self.key)
                    #expect(again.status == 409)
                    #expect(try again.object()["error"] as? String == error)
                }
            }
        }
    }

    @Test func `a failure of ours is not kept, a refusal is`() async throws {
        try await withControl(configure: { $0.ralph = nil }) { server, _ in
            let body = #"{"working_dir":"project","prompt":"quagga go"}"#
            for _ in 0..<2 {
                let response = try await server.post("/api/sessions", body, headers: Self.key)
                #expect(response.status == 500)
                #expect(response.headers["idempotency-replayed"] == nil)
            }
            let headers = ["Idempotency-Key": "refused"]
            let first = try await server.post("/api/sessions", "{}", headers: headers)
            let again = try await server.post("/api/sessions", "{}", headers: headers)
            #expect(first.status == 400)
            #expect(again.status == 400)
            #expect(again.headers["idempotency-replayed"] == "true")
            #expect(again.text == first.text)
        }
    }

    @Test func `a POST that only reads is carried out each time`() async throws {
        try await withServer { server in
            #expect(try await server.send("PUT", "/api/memories", #"{"content":""}"#).status == 200)
            for body in ["", "", "{}"] {
                let export = try await server.post("/api/memories/export", body, headers: Self.key)
                #expect(export.status == 200)
                #expect(export.headers["idempotency-replayed"] == nil)
            }
        }
    }

    @Test(arguments: ["", "a b", "\u{E4}", String(repeating: "k", count: 256)])
    func `a key that is none is refused`(_ key: String) async throws {
        try await withServer { server in
            let response = try await server.post("/api/sessions", "{}", headers: ["Idempotency-Key": key])

            #expect(response.status == 400)
            #expect(response.text.contains("Idempotency-Key"))
        }
    }

    @Test func `of two that come at once one is carried out`() async throws {
        try await withControl { server, _ in
            let body = #"{"working_dir":"project","prompt":"quagga go"}"#
            let statuses = try await withThrowingTaskGroup(of: HTTPProbe.Response.self) { group in
                for _ in 0..<4 {
                    group.addTask { try await server.post("/api/sessions", body, headers: Self.key) }
                }
                return try await group.reduce(into: [HTTPProbe.Response]()) { $0.append($1) }
            }
            for response in statuses where response.status != 201 {
                #expect(response.status == 409)
                #expect(try response.object()["error"] as? String == "idempotency_in_progress")
                #expect(response.headers["retry-after"] == "1")
            }
            let started = try statuses.filter { $0.status == 201 }.map { try $0.object()["pid"] as? Int }
            #expect(Set(started).count == 1)
            let id = try await server.waitForSession("project", events: 0)
            #expect(try await server.commands(id).filter { $0.hasPrefix("start") } == ["start accepted"])
            _ = try await server.send("DELETE", "/api/sessions/\(id)?force=1")
        }
    }
}
