import Foundation
import RalphSessions
import RalphTestSupport
import Testing

@testable import RalphControl

@Suite(.timeLimit(.minutes(1))) struct ControlFilesMessagesTests {
    @Test func `urgent messages are added to those that wait, but not twice in a row`() async throws {
        try await withTemporaryDirectory { root in
            let scene = try SessionScene(root)
            try root.write(
                ".ralph/urgent-steer.json", #"{"messages":["one"],"created_at":"2026-01-01T00:00:00+00:00"}"#)

            try scene.files.addUrgent("one", at: 0)
            try scene.files.addUrgent("two \"\u{0}\n", at: 0)
            try scene.files.addUrgent("one", at: 0)

            let members = try #require(try json(scene, ".ralph/urgent-steer.json"))
            #expect(members["messages"] as? [String] == ["one", "two \"\u{0}\n", "one"])
            #expect(members["created_at"] as? String == "2026-01-01T00:00:00+00:00")
        }
    }

    @Test func `unreadable urgent steering is replaced, since it would break every emit`() async throws {
        try await withTemporaryDirectory { root in
            let scene = try SessionScene(root)
            try root.write(".ralph/urgent-steer.json", "{\"messages\":[\"half")

            try scene.files.addUrgent("whole", at: 1000)

            let members = try #require(try json(scene, ".ralph/urgent-steer.json"))
            #expect(members["messages"] as? [String] == ["whole"])
            #expect(members["created_at"] as? String == "1970-01-01T00:00:01.000Z")
        }
    }

    @Test func `an answer carries the three names of its question`() async throws {
        try await withTemporaryDirectory { root in
            let scene = try SessionScene(root)

            try scene.files.respond(id: "1", loopID: "main", token: "main-1-7", text: "JSON, \"please\"")

            #expect(
                scene.text(".ralph/api/robot-response.json")
                    == #"{"id":1,"loop_id":"main","response_token":"main-1-7","response":"JSON, \"please\""}"#
            )
        }
    }

    @Test func `an answer is not written through a linked directory`() async throws {
        try await withTemporaryDirectory { root in
            let scene = try SessionScene(root)
            try root.write("elsewhere/x", "")
            symlink(root.path + "/elsewhere", root.path + "/.ralph/api")

            #expect(throws: ControlError.unsafePath(root.path + "/.ralph/api")) {
                try scene.files.respond(id: "1", loopID: "main", token: "t", text: "a")
            }
            #expect(try root.names(in: "elsewhere") == ["x"])
        }
    }

    @Test func `a missing scratchpad is made and an existing one kept`() async throws {
        try await withTemporaryDirectory { root in
            let scene = try SessionScene(root)

            try scene.files.ensureScratchpad(nil)
            try scene.files.ensureScratchpad("notes/deep/pad.md")
            try root.write("own.md", "text")
            try scene.files.ensureScratchpad("own.md")

            #expect(scene.text(".ralph/agent/scratchpad.md") == "")
            #expect(scene.text("notes/deep/pad.md") == "")
            #expect(scene.text("own.md") == "text")
        }
    }

    @Test(arguments: ["../outside.md", "/tmp/ralph-test-outside/pad.md", "link/pad.md"])
    func `a scratchpad outside of the workspace is not made`(path: String) async throws {
        try await withTemporaryDirectory { root in
            try root.write("elsewhere/x", "")
            try root.write("inner/x", "")
            let scene = try SessionScene(TemporaryDirectory(path: root.path + "/inner"))
            symlink(root.path + "/elsewhere", root.path + "/inner/link")

            #expect(throws: ControlError.self) { try scene.files.ensureScratchpad(path) }
            #expect(try root.names(in: "elsewhere") == ["x"])
            #expect(try Set(root.names(in: "")) == ["elsewhere", "inner"])
        }
    }

    private func json(_ scene: SessionScene, _ name: String) throws -> [String: Any]? {
        let text = try #require(scene.text(name))
        return try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
    }
}
