import Foundation
import RalphSessions
import RalphTestSupport
import Testing

@testable import RalphControl

@Suite(.timeLimit(.minutes(1))) struct ControlFilesTests {
    @Test func `requests appear as files and can be taken back once`() async throws {
        try await withTemporaryDirectory { root in
            let scene = try SessionScene(root)

            try scene.files.requestPause()
            try scene.files.requestPause()
            try scene.files.requestStop()
            try scene.files.requestResume()

            let names = try root.names(in: ".ralph")
            #expect(Set(names).isSuperset(of: ["pause-requested", "stop-requested", "resume-requested"]))
            #expect(!names.contains { $0.hasSuffix(".tmp") })
            #expect(try scene.files.withdrawPause())
            #expect(try !scene.files.withdrawPause())
            #expect(try scene.files.withdrawStop())
            #expect(try scene.files.withdrawResume())
        }
    }

    @Test func `everything that would act on the next run is cleared away, and nothing else`() async throws {
        try await withTemporaryDirectory { root in
            let scene = try SessionScene(root)
            let stale = [
                "stop-requested", "restart-requested", "resume-requested", "pause-requested",
                "suspend-state.json",
            ]
            for name in stale { try root.write(".ralph/" + name, "") }

            #expect(try Set(scene.files.clearStale()) == Set(stale))

            #expect(try scene.files.clearStale().isEmpty)
            #expect(scene.text(SessionScene.events) != nil)
        }
    }

    @Test func `a session directory that became a link is not written through`() async throws {
        try await withTemporaryDirectory { root in
            let scene = try SessionScene(root)
            try root.write("elsewhere/x", "")
            try FileManager.default.moveItem(atPath: root.path + "/.ralph", toPath: root.path + "/old")
            symlink(root.path + "/elsewhere", root.path + "/.ralph")

            #expect(throws: ControlError.unsafePath(root.path + "/.ralph")) { try scene.files.requestStop() }
            #expect(try root.names(in: "elsewhere") == ["x"])
        }
    }

    @Test func `a link in the place of a control file is not followed`() async throws {
        try await withTemporaryDirectory { root in
            let scene = try SessionScene(root)
            symlink(root.path + "/target", root.path + "/.ralph/stop-requested")

            #expect(throws: ControlError.unsafePath(root.path + "/.ralph/stop-requested")) {
                try scene.files.requestStop()
            }
            #expect(!FileManager.default.fileExists(atPath: root.path + "/target"))
        }
    }

    @Test func `a workspace that was deleted gives an error with its path`() async throws {
        try await withTemporaryDirectory { root in
            let scene = try SessionScene(root)
            try root.remove(".ralph")

            let error = #expect(throws: ControlError.self) { try scene.files.requestPause() }
            #expect(
                error == .unwritable(path: root.path + "/.ralph", reason: "No such file or directory"))
            #expect(try scene.files.clearStale().isEmpty)
        }
    }

    @Test func `a directory of unknown layout is never written to`() async throws {
        try await withTemporaryDirectory { root in
            let unknown = SessionDirectory(path: root.path, workspace: root.path, layout: .unknown)

            #expect(throws: ControlError.readOnly) { try ControlFiles(unknown).requestStop() }
            let names = try root.names(in: "")
            #expect(names.isEmpty)
        }
    }

    @Test(arguments: [
        (#"{"hook_name":"pause-gate","state":"suspended"}"#, "pause-gate"),
        (#"{"hook_name":"lint"}"#, "lint"),
        ("{\"hook_na", nil), ("", nil), ("[]", nil), ("{}", nil),
    ])
    func `a suspension names the hook that caused it`(text: String, hook: String?) async throws {
        try await withTemporaryDirectory { root in
            let scene = try SessionScene(root)
            #expect(scene.files.suspension == nil)
            try root.write(".ralph/suspend-state.json", text)

            #expect(scene.files.suspension?.hook == hook)
            #expect((scene.files.suspension == nil) == (text != "{}" && hook == nil))
        }
    }
}
