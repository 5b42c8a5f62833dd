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

            #expect(try #require(SessionFiles.scratchpad(of: session)).content.isEmpty == false)
            #expect(try #require(SessionFiles.loopState(of: session)?.iteration) > 0)
            #expect(SessionFiles.loopState(of: session)?.totalCostUSD == 0)
        }
    }

    @Test func `without files there is nothing`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.makeWorkspace("p")

            #expect(SessionFiles.scratchpad(of: try session(directory)) == nil)
            #expect(SessionFiles.loopState(of: try session(directory)) == nil)
        }
    }

    @Test func `the older place counts when the newer one is empty`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.makeWorkspace("p")
            try directory.write("p/.agent/scratchpad.md", "old")

            #expect(SessionFiles.scratchpad(of: try session(directory))?.content == "old")
        }
    }

    @Test func `a link that leads out of the workspace is not read`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.makeWorkspace("p")
            try directory.write("secret", "secret")
            try directory.makeDirectory("p/.ralph/agent")
            try directory.link("p/.ralph/agent/scratchpad.md", to: directory.path + "/secret")

            #expect(SessionFiles.scratchpad(of: try session(directory)) == nil)
        }
    }

    @Test func `a scratchpad is cut at its limit and its UTF-8 repaired`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.makeWorkspace("p")
            let bytes = [0xFF] + [UInt8](repeating: 0x61, count: SessionFiles.maximumScratchpadBytes)
            try directory.write("p/.ralph/agent/scratchpad.md", bytes: bytes)

            let content = try #require(SessionFiles.scratchpad(of: try session(directory))).content

            #expect(content.hasPrefix("\u{FFFD}a"))
            #expect(content.count == SessionFiles.maximumScratchpadBytes)
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
