import Foundation
import RalphServer
import RalphTestSupport
import Testing

/// What the server keeps lies in a workspace whose links, pointer and configuration lead there.
@Suite(.timeLimit(.minutes(1)))
struct SecretPathTests {
    private func withState(
        at place: String, _ body: @Sendable @escaping (RunningServer) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            try await withServer(in: directory, { $0.stateDirectory = directory.path + place }, body)
        }
    }

    @Test(arguments: ["/w/state", "/w"])
    func `no document or scratchpad is one of them`(_ place: String) async throws {
        try await withState(at: place) { server in
            let id = try await server.session("w", lines: 1)
            try server.root.write(place.dropFirst() + "/runs/kept.md", "secret")
            try server.root.write("w/.ralph/agent/plain.md", "secret")
            for name in ["scratchpad", "summary", "handoff"] {
                let path = server.root.path + "/w/.ralph/agent/\(name).md"
                for (target, isShown) in [
                    ("plain.md", true), (server.root.path + place + "/runs/kept.md", false),
                ] {
                    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
                    let text = try await server.get("/api/sessions/\(id)/\(name)").text
                    #expect(text.contains("secret") == isShown, "\(name) to \(target)")
                    try FileManager.default.removeItem(atPath: path)
                }
            }
        }
    }

    @Test(arguments: ["/w/state", "/w"])
    func `no pointer names one of them`(_ place: String) async throws {
        try await withState(at: place) { server in
            let id = try await server.session("w", lines: 1)
            let audit = server.root.path + place + "/audit.jsonl"
            try await eventually(within: .seconds(10), "the first entry") {
                FileManager.default.contents(atPath: audit)?.isEmpty == false
            }
            try server.root.write("w/.ralph/current-events", audit)
            try await eventually(within: .seconds(10), "the pointer is looked at") {
                let status = try await server.get("/api/sessions/\(id)/status").text
                return status.contains("current-events names a file that is not")
            }
            let history = try await server.get("/api/sessions/\(id)/history").text
            #expect(history.contains("note.odd") && !history.contains("server.start"))
        }
    }
}
