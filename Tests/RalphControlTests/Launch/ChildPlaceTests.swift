import Foundation
import RalphSessions
import RalphTestSupport
import Testing

@testable import RalphControl

/// Where children begin, whatever is done to the paths meanwhile.
@Suite(.timeLimit(.minutes(1))) struct ChildPlaceTests {
    /// Runs a program in `path` to its end; `false`: the directory was refused.
    private func run(_ program: [String], in path: String, mask: UInt32 = 0o022) async throws -> Bool {
        let null = open("/dev/null", O_WRONLY | O_CLOEXEC)
        let output = try #require(RunFiles.raised(null))
        defer { close(output) }
        var child = ChildProcess(
            program: program[0], arguments: Array(program.dropFirst()), environment: [:], directory: path)
        child.mask = mask
        do {
            let pid = try child.spawn(output: output, errors: output)
            let handle = try #require(ProcessIdentity(child: pid).flatMap { ProcessHandle($0) })
            #expect(await handle.waitForExit(until: .now + .seconds(20)))
            #expect(handle.reap()?.code == 0)
            return true
        } catch let error as ChildProcessError where error.isAboutDirectory {
            return false
        }
    }

    @Test(arguments: [
        ("link", ELOOP), ("link/below", ELOOP), ("file", ENOTDIR), ("none", ENOENT), ("w/../w", EINVAL),
    ])
    func `a directory behind a link is no place to work`(_ name: String, _ code: Int32) async throws {
        try await withTemporaryDirectory { directory in
            try directory.write("w/below/x", "")
            try directory.write("file", "")
            try FileManager.default.createSymbolicLink(
                atPath: directory.path + "/link", withDestinationPath: directory.path + "/w")
            let found = DirectPath.openDirectory(directory.path + "/" + name)
            let reason = errno

            #expect(found < 0)
            #expect(reason == code || reason == ENOTDIR)
            #expect(try await !run(["/usr/bin/touch", "x"], in: directory.path + "/" + name))
        }
    }

    @Test func `a directory that may only be passed through is passed through`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.write("closed/w/x", "")
            _ = chmod(directory.path + "/closed", 0o100)
            #expect(try await run(["/bin/true"], in: directory.path + "/closed/w"))
            _ = chmod(directory.path + "/closed", 0o700)
        }
    }

    @Test func `no child starts outside while its directory is swapped for a link`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.write("w/here", "")
            try directory.write("outside/secret", "")
            var started = 0
            let swaps = try await withSwapping(directory.path + "/w", for: directory.path + "/outside") {
                var number = 0
                try await eventually(within: .seconds(20), "a directory that is in its place") {
                    for _ in 1...300 {
                        number += 1
                        let hasRun = try await run(
                            ["/usr/bin/touch", "mark-\(number)"], in: directory.path + "/w")
                        if hasRun { started += 1 }
                    }
                    return started > 0
                }
            }

            let left = try directory.names(in: "outside")
            let made = try directory.names(in: "w").count
            #expect(swaps > 0)
            #expect(left == ["secret"])
            #expect(made == started + 1)
        }
    }

    @Test(arguments: [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664), (0, 0o666)] as [(UInt32, Int)])
    func `new files of a child have the mask that it is given`(_ mask: UInt32, _ mode: Int) async throws {
        try await withTemporaryDirectory { directory in
            let hasRun = try await run(["/usr/bin/touch", "x"], in: directory.path, mask: mask)
            let found = try directory.mode("x")
            #expect(hasRun)
            #expect(found == mode)
        }
    }
}
