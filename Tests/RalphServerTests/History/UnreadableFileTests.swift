#if os(Linux)
import RalphTestSupport
import Testing

@testable import RalphServer

@Suite(.timeLimit(.minutes(1)))
struct UnreadableFileTests {
    @Test func `what a file holds that cannot be opened now is a gap that says so`() async throws {
        try await withRestartedServer {
            $0.ring = 100
            $0.openFiles = 1
        } before: { server in
            _ = try await server.session("a", lines: 50)
            try server.append("a", 51...300)
            _ = try await server.waitForSession("a", events: 300)
        } _: { server in
            let id = try await server.waitForSession("a", events: 300)
            // Its descriptor is the one that stays open.
            _ = try await server.session("b", lines: 1)
            let path = "/api/sessions/\(id)/history?before_seq=100&limit=50"
            var lease: FileLease?
            try await eventually(within: .seconds(10), "lease") {
                lease = FileLease(server.root.path + "/a/.ralph/events.jsonl")
                return lease != nil
            }

            let gaps = try await server.get(path).object()["gaps"] as? [[String: Any]]
            #expect(gaps?.map { $0["reason"] as? String } == ["file_unreadable"])
            lease?.end()
            let page = try await server.get(path).object()
            #expect((page["events"] as? [Any])?.count == 50 && (page["gaps"] as? [Any])?.isEmpty == true)
        }
    }
}
#endif
