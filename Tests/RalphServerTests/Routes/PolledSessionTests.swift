import RalphServer
import RalphSessions
import RalphTestSupport
import Testing

/// What is said of sessions of which inotify does not tell everything (design 3.2).
@Suite(.timeLimit(.minutes(1)))
struct PolledSessionTests {
    /// The directory `net` is said to be a network mount.
    private static func kind(_ path: String) -> FileSystemKind? {
        path.hasSuffix("/net") || path.contains("/net/") ? .network("nfs4") : .local
    }

    @Test func `the session and the health say who is polled`() async throws {
        try await withServer({ $0.fileSystem = Self.kind }) { server in
            let near = try await server.session("near", lines: 1)
            let far = try await server.session("net/far", lines: 1)
            try await eventually(within: .seconds(10), "one polled session in the health") {
                let health = try await server.get("/api/health").object()
                return (health["discovery"] as? [String: Any])?["polled_sessions"] as? Int == 1
            }
            let health = try await server.get("/api/health").object()
            let discovery = try #require(health["discovery"] as? [String: Any])
            let list = try #require(try await server.get("/api/sessions").json() as? [[String: Any]])
            let listed = list.map { ($0["id"] as? String, $0["watch"] as? String) }

            #expect(discovery["unwatched_directories"] as? Int ?? 0 > 0)
            #expect(discovery["inotify"] as? String == "ok")
            #expect(listed.first { $0.0 == near }?.1 == "inotify")
            #expect(listed.first { $0.0 == far }?.1 == "poll")
            for (id, watch) in [(near, "inotify"), (far, "poll")] {
                let status = try await server.get("/api/sessions/\(id)/status").object()
                #expect(status["watch"] as? String == watch)
            }
        }
    }

    @Test func `without a network mount nobody is polled`() async throws {
        try await withServer { server in
            let id = try await server.session("a", lines: 1)
            let health = try await server.get("/api/health").object()
            let discovery = try #require(health["discovery"] as? [String: Any])
            let status = try await server.get("/api/sessions/\(id)/status").object()

            #expect(discovery["polled_sessions"] as? Int == 0)
            #expect(status["watch"] as? String == "inotify")
        }
    }
}
