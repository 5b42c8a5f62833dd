import Foundation
import RalphTestSupport
import Testing

@testable import RalphSessions

@Suite(.timeLimit(.minutes(1))) struct SessionFilesTests {
    private func session(_ directory: TemporaryDirectory) throws -> DiscoveredSession {
        try #require(directory.scan().sessions.first?.facts)
    }

    @Test func `a recorded session has a scratchpad and a loop state`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.copySample("a-normal-multi-hat", to: "a")

            let session = try session(directory)

            #expect(try #require(try SessionFiles.scratchpad(of: session)).content.isEmpty == false)
            #expect(try #require(SessionFiles.loopState(of: session)?.iteration) > 0)
            #expect(SessionFiles.loopState(of: session)?.totalCostUSD == 0)
        }
    }

    @Test func `without files there is nothing`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.makeWorkspace("p")

            #expect(try SessionFiles.scratchpad(of: try session(directory)) == nil)
            #expect(SessionFiles.loopState(of: try session(directory)) == nil)
        }
    }

    @Test func `the older place counts when the newer one is empty`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.makeWorkspace("p")
            try directory.write("p/.agent/scratchpad.md", "old")

            #expect(try SessionFiles.scratchpad(of: try session(directory))?.content == "old")
        }
    }

    @Test func `the configured place counts before the usual ones`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.makeWorkspace("p")
            try directory.write("p/.ralph/agent/scratchpad.md", "old")
            let session = try session(directory)
            let place = "notes/pad.md"
            #expect(try SessionFiles.scratchpad(of: session, configured: place)?.content == "old")

            try directory.write("p/notes/pad.md", "new")
            for spelled in [place, "./notes//x/../pad.md", directory.path + "/p/notes/pad.md"] {
                #expect(try SessionFiles.scratchpad(of: session, configured: spelled)?.content == "new")
            }
        }
    }

    @Test(arguments: [
        "../outside.md", "notes/../../outside.md", "/etc/passwd", "link.md", ".env", ".git/config",
        "notes/.key", "notes", ".", "", "a\0b", String(repeating: "x", count: 5000),
    ])
    func `a configured place that is elsewhere or hidden or no file is not read`(place: String) async throws {
        try await withTemporaryDirectory { directory in
            try directory.makeWorkspace("p")
            try directory.write("p/.agent/scratchpad.md", "old")
            for name in ["outside.md", "p/.env", "p/.git/config", "p/notes/.key"] {
                try directory.write(name, "secret")
            }
            try directory.link("p/link.md", to: directory.path + "/outside.md")

            let session = try session(directory)

            #expect(try SessionFiles.scratchpad(of: session, configured: place)?.content == "old")
        }
    }

    @Test func `a link that leads out of the workspace is not read`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.makeWorkspace("p")
            try directory.write("secret", "secret")
            try directory.makeDirectory("p/.ralph/agent")
            try directory.link("p/.ralph/agent/scratchpad.md", to: directory.path + "/secret")

            #expect(try SessionFiles.scratchpad(of: try session(directory)) == nil)
        }
    }

    @Test func `links to what is hidden, secret or of another kind are not followed`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.makeWorkspace("p")
            for name in ["p/.env.md", "p/.ralph/.keys/key.md", "p/key.txt", "p/kept/key.md", "p/notes.md"] {
                try directory.write(name, name)
            }
            try directory.write("p/.ralph/agent/kept.md", "kept")
            let session = try session(directory)
            let secrets = [directory.path + "/p/kept", directory.path + "/p/.ralph/agent/kept.md"]
            let file = directory.path + "/p/.ralph/agent/summary.md"
            let pad = directory.path + "/p/.ralph/agent/scratchpad.md"
            for target in [
                "../../.env.md", "../.keys/key.md", "../../key.txt", "../../kept/key.md", "kept.md",
            ] {
                for path in [file, pad] {
                    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
                }
                #expect(try SessionFiles.scratchpad(of: session, secrets: secrets) == nil, "\(target)")
                #expect(
                    SessionDocument.read(file, in: session.directory, secrets: secrets) == .refused,
                    "\(target)")
                for path in [file, pad] { try FileManager.default.removeItem(atPath: path) }
            }
            try FileManager.default.createSymbolicLink(atPath: pad, withDestinationPath: "../../notes.md")
            #expect(try SessionFiles.scratchpad(of: session, secrets: secrets)?.content == "p/notes.md")
            let configured = try SessionFiles.scratchpad(
                of: session, configured: "kept/key.md", secrets: secrets)
            #expect(configured?.content == "p/notes.md")
        }
    }

    @Test func `what cannot be opened is not told as absent`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.makeWorkspace("p")
            try directory.write("p/.agent/scratchpad.md", "old")
            let file = try directory.write("p/.ralph/agent/scratchpad.md", "new")
            let summary = try directory.write("p/.ralph/agent/summary.md", "done")
            let session = try session(directory)
            let denied = UnreadableFile(file, SystemCode(EACCES))
            for path in [file, summary] { try #require(chmod(path, 0) == 0) }

            withoutRights {
                #expect(throws: denied) { try SessionFiles.scratchpad(of: session) }
                #expect(
                    SessionDocument.read(summary, in: session.directory)
                        == .unreadable(UnreadableFile(summary, SystemCode(EACCES))))
            }
            try #require(chmod(file, 0o600) == 0)
            let agent = directory.path + "/p/.ralph/agent"
            try #require(chmod(agent, 0) == 0)
            withoutRights {
                #expect(throws: denied) { try SessionFiles.scratchpad(of: session) }
            }
            try #require(chmod(agent, 0o755) == 0)
            #expect(try SessionFiles.scratchpad(of: session)?.content == "new")
        }
    }

    @Test func `a small file that could not be read once is read when it can be`() async throws {
        try await withTemporaryDirectory { directory in
            let path = try directory.write("id", "one")
            try #require(utimes(path, [timeval(), timeval()]) == 0)
            try #require(chmod(path, 0) == 0)
            var cache = FileCache<String>.lines()

            withoutRights { #expect(cache.value(at: path) == nil) }
            #expect(cache.value(at: path) == "one")
        }
    }

    @Test func `a small file that cannot be looked at is as it was, one that is gone is not`() async throws {
        try await withTemporaryDirectory { directory in
            let path = try directory.write("d/id", "one")
            var cache = FileCache<String>.lines()
            #expect(cache.value(at: path) == "one")
            try #require(chmod(directory.path + "/d", 0) == 0)

            for _ in 0..<2 {
                withoutRights { #expect(cache.value(at: path) == "one") }
                cache.sweep()
            }
            try #require(chmod(directory.path + "/d", 0o755) == 0)
            try directory.remove("d/id")
            #expect(cache.value(at: path) == nil)
            try directory.write("d/id", "two")
            #expect(cache.value(at: path) == "two")
            try directory.remove("d")
            try directory.write("d", "no directory")
            #expect(cache.value(at: path) == nil)
        }
    }

    @Test func `a scratchpad is cut at its limit and its UTF-8 repaired`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.makeWorkspace("p")
            let bytes = [0xFF] + [UInt8](repeating: 0x61, count: SessionFiles.maximumScratchpadBytes)
            try directory.write("p/.ralph/agent/scratchpad.md", bytes: bytes)

            let content = try #require(try SessionFiles.scratchpad(of: try session(directory))).content

            #expect(content.hasPrefix("\u{FFFD}a"))
            #expect(content.count == SessionFiles.maximumScratchpadBytes)
        }
    }

    @Test(arguments: ["ä", "€", "🦊"])
    func `a scratchpad is cut between characters`(_ character: String) async throws {
        try await withTemporaryDirectory { directory in
            try directory.makeWorkspace("p")
            let whole = [UInt8](repeating: 0x61, count: SessionFiles.maximumScratchpadBytes - 1)
            try directory.write("p/.ralph/agent/scratchpad.md", bytes: whole + Array(character.utf8))

            let scratchpad = try #require(try SessionFiles.scratchpad(of: try session(directory)))

            #expect(scratchpad.isCut && scratchpad.content.utf8.count == whole.count)
        }
    }

    @Test(arguments: ["", "{", "[1]", #"{"iteration":"x","total_cost_usd":null}"#])
    func `a broken loop state traps nothing`(content: String) async throws {
        try await withTemporaryDirectory { directory in
            try directory.makeWorkspace("p")
            try directory.write("p/.ralph/api/loop-state.json", content)

            #expect(SessionFiles.loopState(of: try session(directory))?.iteration == nil)
        }
    }
}
