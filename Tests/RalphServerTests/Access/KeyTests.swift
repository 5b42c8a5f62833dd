import RalphServer
import RalphTestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct KeyTests {
    private let key = TestSecrets.key

    @Test(arguments: [("X-Api-Key", ""), ("Authorization", "Bearer ")])
    func `the key opens everything in either header`(_ header: (name: String, prefix: String)) async throws {
        try await withServer({ $0.apiKey = key }) { [key] server in
            let response = try await server.get("/api/sessions", headers: [header.name: header.prefix + key])

            #expect(response.status == 200)
        }
    }

    @Test(arguments: [
        "/api/sessions", "/api/health", "/api/events", "/api/sessions/0123456789abcdef/events", "/",
    ])
    func `without the key there is a 401 before any byte of a stream`(_ path: String) async throws {
        try await withServer({ $0.apiKey = key }) { server in
            let response = try await server.get(path)

            #expect(response.status == 401)
            #expect(response.headers["www-authenticate"] == "Bearer")
            #expect(try response.object()["error"] as? String == "unauthorized")
        }
    }

    @Test(arguments: [
        "", "quagga-key-0123456789abcdeF", "quagga-key-0123456789abcde", "quagga-key-0123456789abcdef0",
    ])
    func `a wrong key is told even by the health probe`(_ wrong: String) async throws {
        try await withServer({ $0.apiKey = key }) { server in
            let bare = try await server.get("/health")
            let guessed = try await server.get("/health", headers: ["X-Api-Key": wrong])

            #expect(bare.status == 200)
            #expect(guessed.status == 401)
        }
    }
}
