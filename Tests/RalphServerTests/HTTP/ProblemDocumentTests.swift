import Foundation
import RalphServer
import RalphTestSupport
import Testing

@testable import RalphServer

@Suite(.timeLimit(.minutes(1)))
struct ProblemDocumentTests {
    private static let accept = ["Accept": "application/problem+json"]

    /// What a test asks for, and what it should get.
    struct Refusal: Sendable, CustomStringConvertible {
        var method = "GET"
        let target: String
        var headers: [String: String] = [:]
        let status: Int
        let slug: String
        var description: String { "\(method) \(target) \(status)" }
    }

    @Test(arguments: [
        Refusal(target: "/api/nothing", status: 404, slug: "not-found"),
        Refusal(target: "/api/sessions/0123456789abcdef/status", status: 404, slug: "session-not-found"),
        Refusal(target: "/api/sessions/0123456789abcdef/events", status: 404, slug: "session-not-found"),
        Refusal(target: "/api/events?tail=x", status: 400, slug: "invalid-request"),
        Refusal(method: "POST", target: "/api/health", status: 405, slug: "method-not-allowed"),
        Refusal(
            method: "POST", target: "/api/sessions", headers: ["Content-Length": "9000000"], status: 413,
            slug: "body-too-large"),
        Refusal(
            method: "POST", target: "/api/sessions", headers: ["Origin": "https://evil.example"], status: 403,
            slug: "forbidden-origin"),
        Refusal(
            target: "/api/sessions", headers: ["X-Api-Key": "wrong"], status: 401, slug: "unauthorized"),
    ])
    func `every refusal is a problem document where that is asked for`(_ refusal: Refusal) async throws {
        try await withServer({ $0.apiKey = refusal.status == 401 ? "0123456789abcdef" : nil }) { server in
            let probe = try server.probe()
            try await probe.request(
                refusal.target, method: refusal.method,
                headers: refusal.headers.merging(Self.accept) { first, _ in first })
            let response = try await probe.response()
            let object = try response.object()

            #expect(response.status == refusal.status)
            #expect(response.headers["content-type"] == "application/problem+json")
            #expect(object["type"] as? String == "urn:ralph-mobile:problem:\(refusal.slug)")
            #expect(object["status"] as? Int == refusal.status)
            #expect((object["title"] as? String)?.isEmpty == false)
            #expect((object["detail"] as? String)?.isEmpty == false)
            #expect(object["code"] is String)
            #expect(object["error"] is String)
            #expect(object["details"] == nil)
        }
    }

    @Test func `a body that comes too slowly is one too`() async throws {
        try await withServer({ $0.http.bodySeconds = 1 }) { server in
            let probe = try server.probe()
            try await probe.request(
                "/api/sessions", method: "POST",
                headers: ["Content-Length": "5", "Accept": "application/problem+json"])
            let response = try await probe.response()

            #expect(response.status == 408)
            #expect(response.headers["content-type"] == "application/problem+json")
        }
    }

    @Test func `nobody else gets one, and success is never changed`() async throws {
        try await withServer { server in
            let plain = try await server.get("/api/nothing", headers: ["Accept": "application/json"])
            let fine = try await server.get("/api/sessions", headers: Self.accept)

            #expect(plain.headers["content-type"] == "application/json")
            #expect(try plain.object().keys.sorted() == ["code", "error"])
            #expect(fine.headers["content-type"] == "application/json")
            #expect(fine.text == "[]")
        }
    }

    @Test func `an answer that is kept comes in the form that is asked for`() async throws {
        try await withServer { server in
            let key = ["Idempotency-Key": "k1", "Content-Length": "0"]
            let target = "/api/sessions/0123456789abcdef/pause"
            func send(_ accept: [String: String]) async throws -> HTTPProbe.Response {
                let probe = try server.probe()
                try await probe.request(
                    target, method: "POST", headers: key.merging(accept) { first, _ in first })
                return try await probe.response()
            }
            let first = try await send([:])
            let second = try await send(Self.accept)

            #expect(first.headers["content-type"] == "application/json")
            #expect(second.headers["idempotency-replayed"] == "true")
            #expect(second.headers["content-type"] == "application/problem+json")
        }
    }

    @Test func `members stay, and those of the document cannot be overwritten`() throws {
        let body =
            #"{"error":"already_running: a b","code":"CONFLICT","session_id":"x","type":"y","n":[1,null]}"#
        let document = try #require(ProblemDocument.document(status: 409, of: Array(body.utf8)))
        let object = try #require(try JSONSerialization.jsonObject(with: Data(document)) as? [String: Any])

        #expect(object["type"] as? String == "urn:ralph-mobile:problem:already-running")
        #expect(object["title"] as? String == "Already running")
        #expect(object["detail"] as? String == "a b")
        #expect(object["session_id"] as? String == "x")
        #expect((object["n"] as? [Any])?.count == 2)
    }

    @Test(arguments: ["", "[]", "{}", "{", "\"error\"", #"{"error":5}"#])
    func `what is none of our errors stays as it is`(_ body: String) {
        #expect(ProblemDocument.document(status: 500, of: Array(body.utf8)) == nil)
    }

    @Test(arguments: [
        ("failed_to_spawn", "failed-to-spawn"), ("Invalid YAML", "invalid-yaml"), ("", "unknown"),
        ("__", "unknown"), ("é", "unknown"), ("failed to write event", "failed-to-write-event"),
    ])
    func `the type is made of the error's name`(_ name: String, _ slug: String) {
        #expect(ProblemDocument.slug(name[...]) == slug)
    }
}
