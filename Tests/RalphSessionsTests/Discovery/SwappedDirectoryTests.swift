import Foundation
import RalphTestSupport
import Testing

@testable import RalphSessions

/// Files of a session whose directories are swapped for links to the outside while they are read.
@Suite(.timeLimit(.minutes(1))) struct SwappedDirectoryTests {
    private static let names = ["agent/scratchpad.md", "events.jsonl", "loop.lock", "agent/summary.md"]

    private func withTwins(
        _ swapped: String, _ read: (SessionDirectory) -> [UInt8]?
    ) async throws {
        try await withTemporaryDirectory { root in
            for name in Self.names {
                try root.write("main/.ralph/" + name, "mine")
                try root.write("outside/.ralph/" + name, "secret")
            }
            let directory = SessionDirectory(workspace: root.path + "/main")
            var found = 0
            try await withSwapping(
                root.path + "/main" + swapped, for: root.path + "/outside" + swapped
            ) {
                try await eventually(within: .seconds(20), "a directory that is in its place") {
                    for _ in 1...1000 {
                        guard let bytes = read(directory) else { continue }
                        found += 1
                        #expect(String(decoding: bytes, as: UTF8.self) == "mine")
                    }
                    return found > 0
                }
            }
            #expect(read(directory).map { String(decoding: $0, as: UTF8.self) } == "mine")
        }
    }

    @Test(arguments: ["", "/.ralph", "/.ralph/agent"])
    func `the scratchpad is the session's or none`(_ swapped: String) async throws {
        try await withTwins(swapped) { directory in
            // What cannot be looked at is told as that.
            let scratchpad = try? SessionFiles.scratchpad(of: DiscoveredSession(directory: directory))
            return scratchpad.map { Array($0.content.utf8) }
        }
    }

    @Test(arguments: ["", "/.ralph", "/.ralph/agent"])
    func `the summary is the session's or none`(_ swapped: String) async throws {
        try await withTwins(swapped) { directory in
            let finding = SessionDocument.read(directory.path + "/agent/summary.md", in: directory)
            if case .found(let document) = finding { return Array(document.content.utf8) }
            return nil
        }
    }

    @Test(arguments: ["", "/.ralph"])
    func `rows and locks are the session's or none`(_ swapped: String) async throws {
        try await withTwins(swapped) { directory in
            // What cannot be opened is read later.
            try? OpenFile(directory.plainEventsFile).bytes(at: 0, count: 6)
        }
        try await withTwins(swapped) { directory in
            BoundedFile.read(directory.lockFile, maximumBytes: 100, isDirect: true)
        }
    }
}
