import RalphTestSupport
import Testing

@testable import RalphServer

struct DemoWorkspaceTests {
    @Test func `what is to be played is a session before the play begins`() async throws {
        let demo = try DemoWorkspace(copying: Samples.directory, standIn: nil)
        defer { demo.remove() }
        try await withServer({ $0.roots = [demo.root] }) { server in
            let sessions = try await server.get("/api/sessions").json() as? [[String: Any]] ?? []
            #expect(sessions.contains { $0["working_dir"] as? String == demo.live })
        }
    }
}
