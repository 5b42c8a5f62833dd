import Foundation
import Logging
import RalphFeed
import RalphSessions
import RalphTestSupport
import RalphWire
import Testing

@testable import RalphServer

@Suite(.timeLimit(.minutes(1)))
struct ProbeRoutesTests {
    private static let key = TestSecrets.key

    @Test(arguments: ["/livez", "/readyz", "/.well-known/ralph-mobile"])
    func `no key is needed, and a wrong one is told`(_ path: String) async throws {
        try await withServer({ $0.apiKey = Self.key }) { server in
            let bare = try await server.get(path)
            let guessed = try await server.get(path, headers: ["X-Api-Key": "wrong"])
            let known = try await server.get(path, headers: ["X-Api-Key": Self.key])

            #expect(bare.status == 200)
            #expect(guessed.status == 401)
            #expect(known.status == 200)
        }
    }

    @Test(arguments: ["/metrics", "/docs", "/openapi.json", "/api/host/metrics", "/livez/x", "/livezz"])
    func `everything else needs it`(_ path: String) async throws {
        try await withServer({ $0.apiKey = Self.key }) { server in
            let response = try await server.get(path)
            #expect(response.status == 401)
        }
    }

    @Test func `livez is OK as text, to GET and to HEAD`() async throws {
        try await withServer { server in
            let response = try await server.get("/livez", headers: ["Accept": "application/json"])
            #expect(response.text == "OK")
            #expect(response.headers["content-type"] == "text/plain; charset=utf-8")
            let probe = try server.probe()
            try await probe.request("/livez", method: "HEAD")
            #expect(try await probe.response(hasBody: false).headers["content-length"] == "2")
        }
    }

    @Test func `readyz is ready after the first scan`() async throws {
        try await withServer { server in
            let response = try await server.get("/readyz")

            #expect(response.status == 200)
            #expect(response.text == #"{"reasons":[],"status":"ready"}"#)
        }
    }

    @Test func `what is missing is said, and nothing of the inside`() throws {
        let catalogue = SessionCatalogue()
        catalogue.storeProblem = "/secret/path is full"
        let report = Readiness(catalogue: catalogue).report()

        #expect(report.reasons == ["scanning", "store"])
        #expect(report.error == "not_ready")
        #expect(report.code == "UNAVAILABLE")
        #expect(report.details?.contains("secret") == false)
    }

    @Test func `commands that cannot be put on record are missing too`() async throws {
        try await withTemporaryDirectory { directory in
            let configuration = FeedConfiguration(path: directory.path + "/feed.sqlite")
            let feed = try EventFeed(configuration, logger: Logger(label: "test"))
            let readiness = Readiness(catalogue: SessionCatalogue(), feed: feed)
            #expect(readiness.report().reasons == ["scanning"])
            feed.close()
            #expect(throws: StoreError.self) { try feed.ledger.saveRun(SessionID(digestPrefix: 1), [1]) }
            #expect(readiness.report().reasons == ["scanning", "store"])
        }
    }

    @Test func `the card tells whether this caller needs a key`() async throws {
        let passedOn = ["X-Forwarded-For": "203.0.113.9"]
        try await withServer { server in
            let here = try await Self.isKeyRequired(server)
            #expect(here == false)
            let elsewhere = try await Self.isKeyRequired(server, passedOn)
            #expect(elsewhere == true)
        }
        try await withServer({ $0.isOpenToAll = true }) { server in
            let ofOpen = try await Self.isKeyRequired(server, passedOn)
            #expect(ofOpen == false)
        }
    }

    private static func isKeyRequired(
        _ server: RunningServer, _ headers: [String: String] = [:]
    ) async throws -> Bool? {
        let card = try await server.get("/.well-known/ralph-mobile", headers: headers).object()
        return (card["auth"] as? [String: Any])?["required"] as? Bool
    }

    @Test func `the card has what a client must find`() async throws {
        try await withServer({ $0.apiKey = Self.key }) { server in
            let card = try await server.get("/.well-known/ralph-mobile").object()

            #expect(card["name"] as? String == "ralph-mobile-server")
            #expect(card["version"] as? String == ServerVersion.text)
            #expect(card["api_version"] as? String == "1")
            #expect((card["auth"] as? [String: Any])?["required"] as? Bool == true)
            #expect(card["tls_fingerprint"] is NSNull)
            #expect((card["features"] as? [String])?.contains("cors") == true)
            let links = card["links"] as? [String: String] ?? [:]
            for (name, path) in links where name != "api" {
                #expect(RalphServer.routes.contains("GET \(path)"))
            }
        }
    }

    @Test func `the index mentions the description`() async throws {
        try await withServer { server in
            let index = try await server.get("/").object()

            #expect(index["docs"] as? String == "/docs")
            #expect(index["openapi"] as? String == "/openapi.json")
        }
    }
}
