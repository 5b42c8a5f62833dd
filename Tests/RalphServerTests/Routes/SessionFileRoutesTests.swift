import Foundation
import RalphTestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct SessionFileRoutesTests {
    @Test(arguments: ["summary", "handoff"])
    func `a document comes as it is`(_ name: String) async throws {
        try await withServer { server in
            let id = try await server.session("w", lines: 1)
            let none = try await server.get("/api/sessions/\(id)/\(name)")
            #expect(none.text == #"{"content":"","truncated":false,"updated_at":null}"#)
            try server.root.write("w/.ralph/agent/\(name).md", "# Done\nüber\n")

            let object = try await server.get("/api/sessions/\(id)/\(name)").object()
            #expect(object["content"] as? String == "# Done\nüber\n")
            #expect((object["updated_at"] as? String)?.utf8.count == 24)
            #expect(object["truncated"] as? Bool == false)
        }
    }

    @Test func `a long document is cut between characters`() async throws {
        try await withServer { server in
            let id = try await server.session("w", lines: 1)
            try server.root.write("w/.ralph/agent/summary.md", "x" + String(repeating: "ü", count: 600_000))
            let object = try await server.get("/api/sessions/\(id)/summary").object()
            let content = object["content"] as? String ?? ""
            #expect(object["truncated"] as? Bool == true)
            #expect(content.utf8.count == (1 << 20) - 1)
            #expect(content.hasSuffix("ü"))
        }
    }

    @Test func `what is no file of the session is refused and nobody waits`() async throws {
        try await withServer { server in
            let id = try await server.session("w", lines: 1)
            try server.root.write("secret", "secret")
            try server.root.write("w/.ralph/agent/x", "")
            let path = server.root.path + "/w/.ralph/agent/summary.md"
            for target in [
                server.root.path + "/secret", "../../../secret", "/etc/passwd", "/nowhere", "summary.md", ".",
            ] {
                try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
                let response = try await server.get("/api/sessions/\(id)/summary")
                #expect(response.status == 404, "\(target)")
                #expect(
                    response.text.contains("file_not_found: summary.md") && !response.text.contains("secret"))
                try FileManager.default.removeItem(atPath: path)
            }
            #expect(mkfifo(path, 0o600) == 0)
            #expect(try await server.get("/api/sessions/\(id)/summary").status == 404)
            try FileManager.default.removeItem(atPath: path)
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            #expect(try await server.get("/api/sessions/\(id)/summary").status == 404)
        }
    }

    @Test func `a link inside the session is followed`() async throws {
        try await withServer { server in
            let id = try await server.session("w", lines: 1)
            try server.root.write("w/.ralph/agent/real.md", "text")
            try FileManager.default.createSymbolicLink(
                atPath: server.root.path + "/w/.ralph/agent/handoff.md", withDestinationPath: "real.md")
            #expect(
                try await server.get("/api/sessions/\(id)/handoff").object()["content"] as? String == "text")
        }
    }

    @Test(arguments: ["summary", "handoff", "diff", "export"])
    func `a session that is not there is a 404`(_ name: String) async throws {
        try await withServer { server in
            for id in ["ffffffffffffffff", "..", "%2e%2e", "%00", "a%2fb"] {
                let response = try await server.get("/api/sessions/\(id)/\(name)")
                #expect(response.status == 404)
            }
        }
    }
}
