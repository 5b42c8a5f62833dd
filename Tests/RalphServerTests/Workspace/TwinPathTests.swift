import Foundation
import RalphServer
import RalphTestSupport
import Testing

/// Names that Unicode takes for the same are those of different files.
@Suite(.timeLimit(.minutes(1)))
struct TwinPathTests {
    private static let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")

    @Test func `both of two workspaces that look the same are sessions, and followed`() async throws {
        try await withServer { server in
            let names = [Self.composed, Self.decomposed]
            for name in names {
                try server.root.write("\(name)/.ralph/events.jsonl", RunningServer.lines(1...2, when: true))
            }
            let list = { () async throws in
                (try await server.get("/api/sessions").json() as? [[String: Any]] ?? [])
                    .compactMap { $0["id"] as? String }
            }
            try await eventually(within: .seconds(10), "two sessions") { try await list().count == 2 }
            let ids = try await list()
            for name in names {
                try server.root.append("\(name)/.ralph/events.jsonl", RunningServer.lines(3...3, when: true))
            }
            for id in ids {
                try await eventually(within: .seconds(10), "the third line") {
                    try await server.get("/api/sessions/\(id)/status").object()["last_seq"] as? Int == 3
                }
            }
        }
    }

    @Test func `what looks as if it lay in the root does not`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.write("\(Self.composed)/a/.ralph/events.jsonl", "")
            try directory.write("\(Self.decomposed)/a/.ralph/agent/memories.md", "# Memories\n")
            let twin = directory.path + "/" + Self.decomposed + "/a"
            let encoded = twin.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
            try await withServer(in: directory, { $0.roots = [directory.path + "/" + Self.composed] }) {
                server in
                let memories = try await server.get("/api/memories?workspace=" + encoded)
                #expect(memories.status == 404)
                let body = #"{"working_dir":"\#(twin)","prompt":"go"}"#
                let start = try await server.post("/api/sessions", body)
                let sibling = try await server.post(
                    "/api/sessions", #"{"working_dir":"\#(directory.path)","prompt":"go"}"#)
                #expect(start.status == sibling.status && start.status >= 400)
            }
        }
    }
}
