import Foundation
import RalphTestSupport
import Testing

@testable import RalphSessions

/// Serialized: the measured scan of many sessions wants the machine for itself.
@Suite(.serialized, .timeLimit(.minutes(1))) struct SessionScannerTroubleTests {
    @Test func `links are counted and never followed`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.makeWorkspace("p")
            try directory.link("loop", to: ".")
            try directory.link("p/up", to: "..")
            try directory.link("gone", to: "nowhere")

            let result = directory.scan()

            #expect(result.sessions.count == 1)
            #expect(result.skippedLinks == 3)
        }
    }

    /// A directory that may not be read cannot be made for a superuser; one that is missing says the same.
    @Test func `a root that cannot be read is reported and the others are scanned`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.makeWorkspace("good/p")
            try directory.write("file", "")

            let roots = ["missing", "file", "good"].map { directory.path + "/" + $0 }
            let result = directory.scan { $0.roots = roots }

            #expect(result.sessions.count == 1)
            #expect(result.unreadable.map { directory.relative($0.path) } == ["missing"])
            #expect(result.couldNotSee(roots[0] + "/x/.ralph"))
            #expect(!result.couldNotSee(roots[2]))
        }
    }

    @Test func `a root whose name is not UTF-8 counts as missing`() async throws {
        try await withTemporaryDirectory { directory in
            let name = Array(directory.path.utf8CString.dropLast()) + [0x2F, CChar(bitPattern: 0xFF), 0]
            mkdir(name, 0o700)
            symlink(name, directory.path + "/root")

            let result = directory.scan { $0.roots = [directory.path + "/root"] }

            #expect(result.unreadable.map { directory.relative($0.path) } == ["root"])
            #expect(result.missingRoots == 1)
        }
    }

    @Test func `a directory whose name is not UTF-8 is reported and hides nothing beside it`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.makeWorkspace("p")
            for parent in ["", "/p"] {
                let path = directory.path + parent
                mkdir(Array(path.utf8CString.dropLast()) + [0x2F, CChar(bitPattern: 0xFF), 0], 0o700)
            }
            try directory.write("p/.worktrees/w/.agent/events.jsonl", TemporaryDirectory.line("a"))

            let result = directory.scan()

            #expect(result.sessions.count == 2)
            #expect(result.unreadable.count == 2 && result.unreadableRoots.isEmpty)
            #expect(!result.couldNotSee(directory.path + "/p/.ralph"))
        }
    }

    @Test func `a directory that may not be read is reported`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.makeWorkspace("p")
            try directory.makeWorkspace("closed/q")
            chmod(directory.path + "/closed", 0)
            defer { chmod(directory.path + "/closed", 0o700) }

            let result = withoutRights { directory.scan() }

            #expect(result.sessions.count == 1)
            #expect(result.unreadable.map { directory.relative($0.path) } == ["closed"])
        }
    }

    @Test func `what may be a copy of a workspace that cannot be read is no session and is reported`()
        async throws
    {
        try await withTemporaryDirectory { directory in
            for name in ["p", "p/.worktrees/copy", "p/.worktrees/own"] {
                try directory.makeWorkspace(name)
                let id = name.hasSuffix("own") ? "quick-fox" : "primary-20261121-031028"
                try directory.write(name + "/.ralph/current-loop-id", id)
                if name.hasSuffix("own") { continue }
                try directory.write(name + "/.ralph/sessions/x/events.jsonl", TemporaryDirectory.line("a"))
                try directory.write(name + "/.agent/events.jsonl", TemporaryDirectory.line("a"))
            }
            chmod(directory.path + "/p/.ralph", 0)
            defer { chmod(directory.path + "/p/.ralph", 0o700) }

            let result = withoutRights { directory.scan() }

            let found = Set(result.sessions.map { directory.relative($0.facts.directory.path) })
            #expect(found == ["p/.worktrees/own/.ralph", "p/.agent"])
            #expect(result.couldNotSee(directory.path + "/p/.worktrees/copy/.ralph"))
        }
    }

    @Test func `of many unreadable directories the first are named and all are counted`() async throws {
        try await withTemporaryDirectory { directory in
            let roots = (0..<40).map { directory.path + "/missing-\($0)" }

            let result = directory.scan { $0.roots = roots }

            #expect(result.unreadable.count == 32)
            #expect(result.unreadableCount == 40)
            #expect(result.unreadableRoots.map(\.path) == roots)
        }
    }

    @Test func `special files in the place of Ralph's are survived`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.makeDirectory("p/.ralph/current-loop-id")
            try directory.makeDirectory("q/.ralph")
            mkfifo(directory.path + "/q/.ralph/current-events", 0o600)
            try directory.write("r/.ralph", "a file")
            try directory.write("s/.ralph/current-events", String(repeating: "x", count: 1 << 20))

            #expect(directory.found() == ["s/.ralph"])
        }
    }

    @Test func `more sessions than the limit are cut off and said`() async throws {
        try await withTemporaryDirectory { directory in
            for number in 0..<5 { try directory.makeWorkspace("p\(number)") }

            let result = directory.scan { $0.maximumSessions = 3 }

            #expect(
                result.sessions.map { directory.relative($0.facts.directory.path) } == [
                    "p0/.ralph", "p1/.ralph", "p2/.ralph",
                ])
            #expect(result.isTruncated)
        }
    }

    @Test func `more directories than the limit are not looked at, and said`() async throws {
        try await withTemporaryDirectory { directory in
            for number in 0..<5 { try directory.makeWorkspace("p\(number)") }

            let result = directory.scan { $0.maximumDirectories = 3 }

            #expect(result.sessions.count < 5)
            #expect(result.isTruncated)
            #expect(DiscoverySettings(roots: []).maximumDirectories == 200_000)
        }
    }

    @Test func `five thousand sessions are found, and found again at little cost`() async throws {
        try await withTemporaryDirectory(below: "/dev/shm") { directory in
            directory.makeSessions(5000)
            var scanner = SessionScanner(settings: DiscoverySettings(roots: [directory.path]))

            let clock = ContinuousClock()
            let first = clock.measure { #expect(scanner.scan().sessions.count == 5000) }
            let second = clock.measure { #expect(scanner.scan().sessions.count == 5000) }

            #expect(first < .seconds(5))
            #expect(second < .seconds(5))
        }
    }

    @Test func `a kept listing notices what comes and goes`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.makeWorkspace("a")
            var scanner = SessionScanner(settings: DiscoverySettings(roots: [directory.path]))
            #expect(scanner.scan().sessions.count == 1)

            try directory.makeWorkspace("b")
            #expect(scanner.scan().sessions.count == 2)
            try directory.remove("a")
            #expect(scanner.scan().sessions.count == 1)
            try directory.write("b/.ralph/current-loop-id", "primary-20270101-000000")
            #expect(scanner.scan().sessions.first?.facts.loopID == "primary-20270101-000000")
        }
    }
}
