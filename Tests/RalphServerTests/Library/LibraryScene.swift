import Foundation
import RalphTestSupport

@testable import RalphServer

/// A root with a workspace in it, the user's places and a shipped library, each file with its path in its first
/// line.
enum LibraryScene {
    static let configs = [
        "base/ralph.yml", "base/presets/both.yml", "base/presets/both.yaml", "base/presets/mine.yaml",
        "base/ws/ralph.yml", "base/ws/presets/both.yml", "base/ws/presets/own.yml",
        ".ralph/presets/both.yml", ".ralph/presets/personal.yml",
        ".config/ralph-mobile-server/library/configs/everywhere.yml",
        "shipped/configs/solo.yml", "shipped/presets/both.yml", "shipped/presets/solo.yml",
        "shipped/presets/plan.yml",
    ]
    static let prompts = [
        "base/PROMPT.md", "base/prompts/fix.md", "base/prompts/deep/er/fix.md", "base/ws/prompts/fix.md",
        ".ralph/prompts/personal.md", "shipped/prompts/fix.md", "shipped/prompts/ship/it.md",
    ]

    static func write(to directory: TemporaryDirectory) throws {
        for name in configs { try directory.write(name, "# \(name)\nevent_loop: {}\n") }
        for name in prompts { try directory.write(name, "\n  # \(name)\n\nDo it.\n") }
        try directory.write("base/ws/.ralph/events.jsonl", RunningServer.lines(1...1, when: true))
        try directory.write("outside/secret.yml", "# secret\n")
        try directory.write("outside/secret.md", "secret\n")
    }

    /// The places of ``write(to:)``.
    static func places(_ directory: TemporaryDirectory) -> LibraryPlaces {
        LibraryPlaces(
            roots: [directory.path + "/base"], home: directory.path, configHome: directory.path + "/.config",
            libraries: [directory.path + "/shipped"])
    }
}

/// Runs `body` against a server on the scene's root.
func withLibrary(
    _ arrange: (TemporaryDirectory) throws -> Void = { _ in },
    _ body: @Sendable @escaping (RunningServer) async throws -> Void
) async throws {
    try await withTemporaryDirectory { directory in
        try LibraryScene.write(to: directory)
        try arrange(directory)
        try await withServer(
            in: directory,
            {
                $0.roots = [directory.path + "/base"]
                $0.libraries = [directory.path + "/shipped"]
            }, body)
    }
}

extension RunningServer {
    /// The items of one of the library's lists.
    func items(_ list: String, _ query: String = "") async throws -> [[String: Any]] {
        try await get("/api/\(list)\(query)").object()[list] as? [[String: Any]] ?? []
    }

    /// One member of all items.
    func members(_ list: String, _ member: String, _ query: String = "") async throws -> [String] {
        try await items(list, query).map { $0[member] as? String ?? "" }
    }

    /// The error string of an answer.
    func error(_ target: String, status: Int) async throws -> String {
        let response = try await get(target)
        guard response.status == status else { throw Unexpected(status: response.status) }
        return try response.object()["error"] as? String ?? ""
    }
}
