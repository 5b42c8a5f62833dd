import Foundation
import RalphTestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct MemoryRoutesTests {
    private static let name = ".ralph/agent/memories.md"

    private func put(_ server: RunningServer, _ members: [String: Any]) async throws -> HTTPProbe.Response {
        let body = try JSONSerialization.data(withJSONObject: members)
        return try await server.send("PUT", "/api/memories", String(decoding: body, as: UTF8.self))
    }

    @Test func `no file is an empty text, and cannot be exported`() async throws {
        try await withServer { server in
            #expect(try await server.get("/api/memories").text == #"{"content":"","last_modified":null}"#)
            let export = try await server.post("/api/memories/export")
            #expect(export.status == 404)
            #expect(try export.object()["error"] as? String == "memories_not_found")
        }
    }

    @Test func `what is put is read, exported and in the file`() async throws {
        try await withServer { server in
            let text = "# Memories\r\n\n## Fixes\n“ü” \u{2028}\n"
            let put = try await put(server, ["content": text]).object()
            let got = try await server.get("/api/memories").object()
            #expect(got["content"] as? String == text)
            #expect(got["last_modified"] as? String == put["last_modified"] as? String)
            #expect((got["last_modified"] as? String)?.wholeMatch(of: #/[\d-]{10}T[\d:.]{12}Z/#) != nil)
            let file = FileManager.default.contents(atPath: server.root.path + "/" + Self.name)
            #expect(file == Data(text.utf8))

            let export = try await server.post("/api/memories/export", "{}").object()
            #expect(export["content"] as? String == text)
            #expect((export["filename"] as? String)?.wholeMatch(of: #/memories-\d{8}-\d{6}\.md/#) != nil)
            #expect((export["exported_at"] as? String)?.hasSuffix("Z") == true)
            #expect(try await self.put(server, ["content": ""]).status == 200)
            #expect(try await server.post("/api/memories/export").status == 200)
        }
    }

    @Test func `a file that was changed since is not replaced`() async throws {
        try await withServer { server in
            let first = try await put(server, ["content": "1"]).object()
            let known = first["last_modified"] as? String ?? ""
            #expect(try await put(server, ["content": "2", "last_modified": known]).status == 200)
            let late = try await put(server, ["content": "3", "last_modified": known])
            #expect(late.status == 409)
            #expect(try late.object()["error"] as? String == "memories_changed")
            #expect(try await put(server, ["content": "4", "last_modified": "noon"]).status == 409)
            #expect(try await server.get("/api/memories").object()["content"] as? String == "2")
            #expect(try await put(server, ["content": "5", "last_modified": NSNull()]).status == 200)
        }
    }

    @Test func `what is no UTF-8 is shown as such, and not lost`() async throws {
        try await withServer { server in
            let bytes = Array("# caf".utf8) + [0xE9, 0x0A]
            try server.root.write(Self.name, bytes: bytes)
            let got = try await server.get("/api/memories").object()
            #expect(got["content"] as? String == "# caf\u{FFFD}\n")
            #expect(got["repaired"] as? Bool == true)
            #expect(try await server.post("/api/memories/export").object()["repaired"] as? Bool == true)

            let known = got["last_modified"] as? String ?? ""
            for members in [["content": "new"], ["content": "new", "last_modified": known]] {
                let refused = try await put(server, members)
                #expect(refused.status == 409)
                #expect(try refused.object()["error"] as? String == "memories_not_utf8")
            }
            let file = FileManager.default.contents(atPath: server.root.path + "/" + Self.name)
            #expect(file == Data(bytes))
        }
    }

    @Test func `a text may be large, and no larger`() async throws {
        try await withServer { server in
            let large = String(repeating: "x", count: (8 << 20) - 100)
            let response = try await put(server, ["content": large])
            #expect(response.status == 200)
            let probe = try server.probe()
            try await probe.send(
                "PUT /api/memories HTTP/1.1\r\nHost: localhost\r\nContent-Length: 8388609\r\n\r\n")
            #expect(try await probe.response().status == 413)
            #expect(try await put(server, ["content": "a\u{0}b"]).status == 400)
            #expect(try await put(server, [:]).status == 400)
            #expect(
                (try await server.get("/api/memories").object()["content"] as? String)?.count == large.count)
        }
    }

    @Test func `the recorded workspace's memories are read as they are`() async throws {
        try await withTemporaryDirectory { root in
            try Samples.copy("a-normal-multi-hat", to: root.path + "/sample")
            try await withServer(in: root) { server in
                let file = FileManager.default.contents(atPath: root.path + "/sample/" + Self.name) ?? Data()
                let got = try await server.get("/api/memories?workspace=sample").object()
                #expect(got["content"] as? String == String(decoding: file, as: UTF8.self))
                let tasks = try await server.get("/api/tasks?workspace=sample").object()
                #expect(tasks["total"] as? Int == 2)
            }
        }
    }
}
