import Foundation
import RalphControl
import RalphTestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct CapturedRunTests {
    private func run(_ script: String, bytes: Int = 1000, in directory: TemporaryDirectory) -> CapturedRun {
        CapturedRun(
            program: "/bin/sh", arguments: ["-c", script], directory: directory.path,
            environment: ["PATH": "/usr/bin:/bin", "ONLY": "this"], maximumOutputBytes: bytes)
    }

    @Test func `it gives output, code and the last error`() async throws {
        try await withTemporaryDirectory { directory in
            let run = run("pwd; env; echo first >&2; echo why >&2; exit 3", in: directory)
            let outcome = try #require(try await run.run(until: .now + .seconds(20)))

            let lines = String(decoding: outcome.output, as: UTF8.self).split(separator: "\n")
            #expect(outcome.code == 3)
            #expect(lines.first == Substring(directory.path))
            #expect(lines.contains("ONLY=this"))
            #expect(!lines.contains { $0.hasPrefix("HOME=") })
            #expect(outcome.lastError == "why")
            #expect(!outcome.isCut)
        }
    }

    @Test func `one that writes more than its bound is ended`() async throws {
        try await withTemporaryDirectory { directory in
            let run = run("sh -c 'echo $$ > child; exec yes' & wait", bytes: 300_000, in: directory)
            let outcome = try #require(try await run.run(until: .now + .seconds(20)))

            #expect(outcome.output.count == 300_000)
            #expect(outcome.isCut)
            #expect(outcome.code == nil)
            try await expectEnd(of: "child", in: directory)
        }
    }

    @Test func `errors without end are read and forgotten`() async throws {
        try await withTemporaryDirectory { directory in
            let run = run("yes no | head -c 1000000 >&2; echo last >&2; echo done", in: directory)
            let outcome = try #require(try await run.run(until: .now + .seconds(20)))

            #expect(outcome.output == Array("done\n".utf8))
            #expect(outcome.code == 0)
        }
    }

    @Test func `it gets no more memory than it may have`() async throws {
        try await withTemporaryDirectory { directory in
            // Of a pipe, tail has to keep what it shows.
            var run = run("head -c 90000000 /dev/zero | tail -c 80000000 | wc -c", in: directory)
            run.maximumDataBytes = 32 << 20
            let outcome = try #require(try await run.run(until: .now + .seconds(20)))

            #expect(String(decoding: outcome.output, as: UTF8.self).contains("80000000") == false)
            #expect(outcome.lastError?.contains("memory") == true)
        }
    }

    @Test func `where memory is bounded the stacks of threads are, which count as such`() async throws {
        try await withTemporaryDirectory { directory in
            var bounded = run("ulimit -s", in: directory)
            bounded.maximumDataBytes = 512 << 20
            let before = try Self.setStackLimit(64 << 20)
            defer {
                // More than before is no harm in any case.
                _ = try? Self.setStackLimit(before)
            }
            let outcome = try #require(try await bounded.run(until: .now + .seconds(20)))
            let free = try #require(
                try await run("ulimit -s", in: directory).run(until: .now + .seconds(20)))

            #expect(outcome.output == Array("8192\n".utf8))
            #expect(free.output == Array("65536\n".utf8))
        }
    }

    /// Sets the soft limit of this process, which holds for the programs that it starts. Those of other tests take no harm
    /// from more, and the size of our own threads' stacks was settled when the process began (pthread_create(3)).
    ///
    /// - Returns: what it was.
    private static func setStackLimit(_ bytes: rlim_t) throws -> rlim_t {
        #if os(Linux)
        let resource = __rlimit_resource_t(RLIMIT_STACK.rawValue)
        #else
        let resource = RLIMIT_STACK
        #endif
        var limit = rlimit()
        let isKnown = getrlimit(resource, &limit) == 0
        let before = limit.rlim_cur
        limit.rlim_cur = bytes
        let isSet = setrlimit(resource, &limit) == 0
        try #require(isKnown && isSet)
        return before
    }

    @Test func `at the deadline it is ended with all that it began`() async throws {
        try await withTemporaryDirectory { directory in
            // Opening a FIFO waits for its other end.
            let run = run("mkfifo go; cat go & echo $! > child; wait", in: directory)
            let outcome = try await run.run(until: .now + .seconds(2))

            #expect(outcome == nil)
            try await expectEnd(of: "child", in: directory)
        }
    }

    @Test func `what it leaves behind ends with it and holds nobody up`() async throws {
        try await withTemporaryDirectory { directory in
            let run = run("mkfifo go; cat go & echo $! > child; echo ok", in: directory)
            let outcome = try #require(try await run.run(until: .now + .seconds(20)))

            #expect(outcome.output == Array("ok\n".utf8))
            try await expectEnd(of: "child", in: directory)
        }
    }

    @Test func `a program that is not there is said to be missing`() async throws {
        try await withTemporaryDirectory { directory in
            var run = run("", in: directory)
            run.program = directory.path + "/nothing"
            await #expect(throws: ControlError.self) { try await run.run(until: .now + .seconds(20)) }
        }
    }

    private func expectEnd(of file: String, in directory: TemporaryDirectory) async throws {
        let text = try String(contentsOfFile: directory.path + "/" + file, encoding: .utf8)
        let child = try #require(Int32(text.trimmingCharacters(in: .whitespacesAndNewlines)))
        try await eventually(within: .seconds(10), "end") { ProcessIdentity(pid: child) == nil }
    }
}
