import Foundation
import RalphTestSupport
import Testing

extension EndToEnd {
    /// What the program writes to a terminal, and in what others may have a say.
    struct TerminalTests {
        private static let evil = "w\u{1b}]0;title\u{7}\nStarting ralph-mobile-server on 6.6.6.6:1\u{202e}"

        private static func isPlain(_ text: String) -> Bool {
            text.unicodeScalars.allSatisfy { $0 == "\n" || $0.value >= 0x20 && $0.value != 0x202E }
        }

        @Test func `a name that steers terminals is written out on both outputs`() async throws {
            try await withTemporaryDirectory { place in
                try place.write("tree/" + Self.evil + "/.ralph/events.jsonl", "{\"topic\":\"a\"}\n")
                let service = try await Service(in: place, ["--log-level", "trace"])
                service.process.signal(SIGTERM)
                #expect(try await service.process.exitStatus() == 0)

                let (output, errors) = (service.process.output, service.process.errors)
                #expect(Self.isPlain(output) && Self.isPlain(errors))
                #expect(output.contains(#"w\u{1b}]0;title\u{7}\u{a}Starting"#))
                #expect(!output.contains("\nStarting ralph-mobile-server on 6.6.6.6"))
            }
        }

        @Test func `an output that takes nothing costs the text alone`() async throws {
            try await withTemporaryDirectory { place in
                let command = "exec \(ServerProcess.binary) --version >/dev/full"
                let process = try ServerProcess(["-c", command], in: place, binary: "/bin/sh")
                #expect(try await process.exitStatus() == 0)
            }
        }

        @Test(arguments: ["devices", "doctor"])
        func `a command whose output takes nothing says so and fails`(_ command: String) async throws {
            try await withTemporaryDirectory { place in
                try place.write("tree/.keep", "")
                chmod(try place.write("state/devices.json", "[]"), 0o600)
                let text =
                    "exec \(ServerProcess.binary) \(command) --root tree --state-dir state >/dev/full"
                let process = try ServerProcess(["-c", text], in: place, binary: "/bin/sh")
                #expect(try await process.exitStatus() == 1)
                #expect(process.errors.contains("Standard output did not take all of it."))
            }
        }

        @Test func `a closed output is nobody else's file`() async throws {
            try await withTemporaryDirectory { place in
                try place.write("tree/.keep", "")
                let arguments = "--port 0 --root tree --state-dir state"
                let process = try ServerProcess(
                    ["-c", "exec \(ServerProcess.binary) \(arguments) >&-"], in: place, binary: "/bin/sh")
                try await eventually(within: .seconds(20), "server start") {
                    FileManager.default.fileExists(atPath: place.path + "/state/server.json")
                }
                let output = try FileManager.default.destinationOfSymbolicLink(
                    atPath: "/proc/\(process.pid)/fd/1")
                #expect(output == "/dev/null")
                process.signal(SIGTERM)
                #expect(try await process.exitStatus(within: .seconds(5)) == 0)
            }
        }

        @Test func `a log that nobody reads holds nobody up`() async throws {
            try await withTemporaryDirectory { place in
                try place.write("tree/a/.ralph/events.jsonl", "{\"topic\":\"a\"}\n")
                let pipe = place.path + "/pipe"
                #expect(mkfifo(pipe, 0o600) == 0)
                let reader = open(pipe, O_RDWR | O_NONBLOCK | O_CLOEXEC)
                defer { close(reader) }
                let piece = [UInt8](repeating: 0x2E, count: 4096)
                while write(reader, piece, piece.count) > 0 {}

                let arguments = "--port 0 --root tree --state-dir state --log-level trace"
                let process = try ServerProcess(
                    ["-c", "exec \(ServerProcess.binary) \(arguments) 2>pipe"], in: place, binary: "/bin/sh")
                let probe = try HTTPProbe(port: try await process.port())
                try await probe.request("/api/health")
                let health = try await probe.response().object()
                #expect((health["log_dropped"] as? Int ?? 0) > 0)
                process.signal(SIGTERM)
                #expect(try await process.exitStatus(within: .seconds(5)) == 0)
            }
        }

        @Test func `a terminal that nobody reads holds nobody up`() async throws {
            try await withTemporaryDirectory { place in
                try place.write("tree/a/.ralph/events.jsonl", "{\"topic\":\"a\"}\n")
                // It takes a few more bytes, and no line.
                let terminal = try Terminal()
                try terminal.fill(to: 700)
                defer { withExtendedLifetime(terminal) {} }
                let arguments = "--port 0 --root tree --state-dir state --log-level trace"
                let process = try ServerProcess(
                    ["-c", "exec \(ServerProcess.binary) \(arguments) 2>\(terminal.path)"], in: place,
                    binary: "/bin/sh")
                let probe = try HTTPProbe(port: try await process.port())
                try await probe.request("/api/health")
                #expect(try await probe.response().status == 200)
                process.signal(SIGTERM)
                #expect(try await process.exitStatus(within: .seconds(5)) == 0)
            }
        }

        @Test func `a complaint at the start is one line whatever it names`() async throws {
            try await withTemporaryDirectory { place in
                let process = try ServerProcess(["--port", "0", "--root", Self.evil], in: place)

                #expect(try await process.exitStatus() != 0)
                #expect(process.errors.split(separator: "\n").count == 1)
                #expect(Self.isPlain(process.errors))
            }
        }

        @Test func `every request that changes something is on record when the server has ended`()
            async throws
        {
            try await withTemporaryDirectory { place in
                let service = try await Service(in: place)
                let probe = try HTTPProbe(port: service.port)
                try await probe.request("/api/sessions/0123456789abcdef", method: "DELETE")
                #expect(try await probe.response().status == 404)
                service.process.signal(SIGTERM)
                #expect(try await service.process.exitStatus() == 0)

                let lines = try String(contentsOfFile: place.path + "/state/audit.jsonl", encoding: .utf8)
                    .split(separator: "\n")
                #expect(lines.map { $0.contains("DELETE /api/sessions/{id}") } == [false, true, false])
                #expect(lines.last?.contains("server.stop") == true)
            }
        }
    }
}

/// A terminal that nobody reads (pty(7), ioctl_tty(2)).
private final class Terminal {
    let path: String
    private let master: Int32
    /// Without anybody who has it open, a terminal forgets what it has taken.
    private let descriptor: Int32

    init() throws {
        let (lock, number): (UInt, UInt) = (0x4004_5431, 0x8004_5430)  // TIOCSPTLCK, TIOCGPTN
        var (off, found): (Int32, Int32) = (0, 0)
        master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        try #require(master >= 0 && ioctl(master, lock, &off) == 0 && ioctl(master, number, &found) == 0)
        path = "/dev/pts/\(found)"
        descriptor = open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        try #require(descriptor >= 0)
    }

    deinit {
        close(descriptor)
        close(master)
    }

    /// Has it take about `rest` bytes more: how many it takes in all, another one tells.
    func fill(to rest: Int) throws {
        let room = try Terminal().take(.max)
        _ = take(room - rest)
    }

    private func take(_ most: Int) -> Int {
        let piece = [UInt8](repeating: 0x2E, count: 64)
        var count = 0
        while count < most {
            let taken = write(descriptor, piece, min(piece.count, most - count))
            guard taken > 0 else { break }
            count += taken
        }
        return count
    }
}
