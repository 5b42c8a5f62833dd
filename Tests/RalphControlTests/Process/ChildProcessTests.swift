import Foundation
import RalphSessions
import RalphTestSupport
import Testing

@testable import RalphControl

@Suite(.timeLimit(.minutes(1))) struct ChildProcessTests {
    private func statusLine(_ pid: Int32, _ name: String) throws -> String? {
        try String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8).split(separator: "\n")
            .first { $0.hasPrefix(name + ":") }.map { String($0.dropFirst(name.count + 1)) }?
            .trimmingCharacters(in: .whitespaces)
    }

    private func link(_ path: String) throws -> String {
        try FileManager.default.destinationOfSymbolicLink(atPath: path)
    }

    @Test func `a child leads a session of its own in its directory`() async throws {
        try await withChildren { directory, start in
            let child = try start("exec sleep 60", ["LANG": "C.UTF-8"])
            try await eventually(within: .seconds(10)) { child.identity.commandLine?.first == "sleep" }
            let status = try #require(child.identity.status)

            #expect(status.session == child.pid)
            #expect(status.group == child.pid)
            #expect(try link("/proc/\(child.pid)/cwd") == directory.path)
            #expect(
                ProcessFile.strings(of: child.identity, "environ")?.sorted()
                    == ["LANG=C.UTF-8", "PATH=/usr/bin:/bin", "PWD=\(directory.path)"])
        }
    }

    @Test func `a child has the standard descriptors and no others`() async throws {
        try await withTemporaryDirectory { directory in
            let leaks = (0..<8).map { _ in dup(1) }
            defer { for leak in leaks { close(leak) } }
            let child = try TestChild("", in: directory, program: ["/bin/sleep", "60"])

            let folder = "/proc/\(child.pid)/fd"
            // Until it runs, the loader has its libraries open in turn.
            try await eventually(within: .seconds(10), "three descriptors") {
                try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == ["0", "1", "2"]
            }
            let input = try link(folder + "/0")
            let output = try link(folder + "/1")
            _ = await ProcessRemoval.remove(child.handle)

            #expect(input == "/dev/null")
            #expect(output.hasPrefix(directory.path))
        }
    }

    @Test func `a child ignores and blocks no signal, whatever this process does`() async throws {
        try await withTemporaryDirectory { directory in
            let earlier = signal(SIGPIPE, SIG_IGN)
            defer { signal(SIGPIPE, earlier) }
            let child = try TestChild("", in: directory, program: ["/bin/sleep", "60"])

            let ignored = try #require(try statusLine(child.pid, "SigIgn").flatMap { UInt64($0, radix: 16) })
            let blocked = try statusLine(child.pid, "SigBlk")
            _ = await ProcessRemoval.remove(child.handle)

            // 32 and 33 are the C library's own; it sets them again in the new program.
            #expect(ignored & ~0x1_8000_0000 == 0)
            #expect(blocked == "0000000000000000")
        }
    }

    @Test func `a child that cannot be held is ended with its group and reaped`() async throws {
        try await withChildren { directory, start in
            let child = try start("sleep 60 & echo $! > other; wait", [:])
            let other = try #require(ProcessIdentity(pid: try await directory.pid("other")))

            let error = withoutDescriptors {
                #expect(throws: ControlError.self) { try ChildProcess.hold(child.pid) }
            }

            #expect(error == .failedToSpawn("process \(child.pid) cannot be seen in /proc"))
            #expect(child.identity.status == nil)
            try await eventually(within: .seconds(10)) { !other.isAlive }
        }
    }

    @Test(arguments: [("/nowhere/at/all", ENOENT), ("/etc/passwd", EACCES), ("/etc", EACCES)])
    func `what cannot be started says why and leaves no process`(program: String, code: Int32) async throws {
        try await withTemporaryDirectory { directory in
            let error = #expect(throws: ChildProcessError.self) {
                try TestChild("", in: directory, program: [program])
            }

            #expect(error?.code == code)
            #expect(error?.isAboutProgram == true)
        }
    }
}
