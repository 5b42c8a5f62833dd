import Foundation
import RalphServer
import RalphTestSupport
import Testing

/// Servers that ask nobody, or almost nobody, and what strangers get to know.
@Suite(.timeLimit(.minutes(1)))
struct OpenServerTests {
    @Test func `without a key whoever is on this machine may do everything`() async throws {
        try await withServer { server in
            try await server.expect(200, "/api/devices")
            try await server.expect(200, "/api/sessions", headers: ["X-Api-Key": "anything"])
            try await server.expect(401, "/api/sessions", headers: ["X-Api-Key": "rmd_anything"])
        }
    }

    @Test func `a server for all is open to what was passed on too`() async throws {
        try await withServer({ $0.isOpenToAll = true }) { server in
            try await server.expect(200, "/api/devices", headers: ["X-Forwarded-For": "6.6.6.6"])
            try await server.expect(
                403, post: "/api/sessions", "{}", headers: ["Origin": "https://evil.example"])
        }
    }

    @Test func `a key in the query counts only where that is allowed`() async throws {
        for isAllowed in [false, true] {
            try await withDevices({ $0.allowsQueryKey = isAllowed }) { server in
                for secret in [PairedDevice.key, PairedDevice.watch.token] {
                    let response = try await server.get("/api/sessions?api_key=" + secret)
                    #expect(response.status == (isAllowed ? 200 : 401))
                }
                try await server.expect(401, "/api/sessions?api_key=wrong")
                try await server.expect(isAllowed ? 401 : 200, "/health?api_key=wrong")
                let status = try await server.get("/api/devices?api_key=" + PairedDevice.watch.token).status
                #expect(status != 200)
            }
        }
    }

    @Test(arguments: ["/health", "/livez", "/readyz", "/.well-known/ralph-mobile"])
    func `what anybody may ask tells nothing of sessions places and people`(_ path: String) async throws {
        try await withDevices { server in
            try server.root.write("private/.ralph/events.jsonl", RunningServer.lines(1...1, when: true))
            let response = try await server.get(path, headers: ["Accept": "application/json"])

            #expect([200, 503].contains(response.status))
            for word in [server.root.path, "private", PairedDevice.key, PairedDevice.watch.id, NSUserName()] {
                #expect(!response.text.contains(word), "\(word)")
            }
        }
    }

    @Test(arguments: [
        "/", "/docs", "/openapi.json", "/metrics", "/api/health", "/nothing",
        "/api/sessions/0123456789abcdef",
    ])
    func `the rest is the same refusal whether it is there or not`(_ path: String) async throws {
        try await withDevices { server in
            let response = try await server.get(path)

            #expect(response.status == 401)
            #expect(response.text == #"{"error":"unauthorized","code":"UNAUTHORIZED"}"#)
        }
    }

    @Test(arguments: ["Basic", "bearer", "BEARER", "Bearer ", "Token", ""])
    func `a credential counts in the spellings that are documented`(_ scheme: String) async throws {
        try await withDevices { server in
            let value = scheme.isEmpty ? PairedDevice.key : "\(scheme) \(PairedDevice.key)"
            let status = try await server.get("/api/sessions", headers: ["Authorization": value]).status
            // Blanks around the key are not part of it.
            let isRight =
                scheme.isEmpty || scheme.lowercased().trimmingCharacters(in: .whitespaces) == "bearer"
            #expect(status == (isRight ? 200 : 401))
        }
    }
}
