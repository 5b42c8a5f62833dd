import Foundation
import RalphTestSupport
import Testing

@testable import RalphSessions

/// What is told of a pointer that is there and not followed.
@Suite(.timeLimit(.minutes(1)))
struct PointerProblemTests {
    private static let row = #"{"ts":"2026-01-01T00:00:00Z","topic":"told","payload":"x"}"# + "\n"

    private func scene(_ directory: TemporaryDirectory, pointer: String) throws -> SessionScene {
        try directory.write("closed/deep/events.jsonl", Self.row)
        let scene = try SessionScene(directory)
        try scene.write(SessionScene.run1, Self.row)
        try directory.write(".ralph/current-events", pointer)
        return scene
    }

    @Test(arguments: [
        ("closed/deep/events.jsonl", " names what cannot be found: Permission denied"),
        ("missing/events.jsonl", " names what cannot be found: No such file or directory"),
        ("../events.jsonl", " names a file that is not in the workspace"),
        (String(repeating: "x", count: 5000), " is no short regular file"),
    ])
    func `the reason is the true one`(pointer: String, reason: String) async throws {
        try await withTemporaryDirectory { directory in
            let scene = try scene(directory, pointer: pointer)
            try #require(chmod(directory.path + "/closed", 0) == 0)

            withoutRights { #expect(scene.read() == ["told"]) }
            #expect(scene.problems.count == 1)
            let problem = scene.problems.first
            #expect(problem?.hasPrefix(scene.path("current-events") + reason) == true)
            #expect(problem?.hasSuffix("; the newest events file is read instead.") == true)
            try #require(chmod(directory.path + "/closed", 0o755) == 0)
        }
    }

    @Test func `nothing is said to be read instead where nothing can be`() async throws {
        try await withTemporaryDirectory { directory in
            let scene = try scene(directory, pointer: ".ralph/" + SessionScene.run1)
            try #require(chmod(scene.session.directory.path, 0) == 0)

            withoutRights { #expect(scene.read() == []) }
            #expect(scene.problems.contains(scene.path("current-events") + ": Permission denied."))
            try #require(chmod(scene.session.directory.path, 0o755) == 0)
        }
    }

    @Test func `history in a directory that may not be read is not gone`() async throws {
        try await withTemporaryDirectory { directory in
            let scene = try SessionScene(directory)
            try scene.write(SessionScene.run1, Self.row)
            let place = try #require(try ArchiveReader.newest(of: scene.session, numberedFrom: [:]))
            try #require(chmod(scene.session.directory.path, 0) == 0)

            withoutRights {
                let error = #expect(throws: TailError.self) {
                    try ArchiveReader.page(of: scene.session, before: place, limit: 5)
                }
                guard case .notPermitted = error else {
                    Issue.record("\(String(describing: error))")
                    return
                }
            }
            try #require(chmod(scene.session.directory.path, 0o755) == 0)
        }
    }
}
