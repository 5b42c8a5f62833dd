import Foundation
import RalphTestSupport
import Testing

@testable import RalphSessions

@Suite(.timeLimit(.minutes(1))) struct ProcessLocksTests {
    private let table = """
        1: POSIX  ADVISORY  WRITE 11 fe:00:100 0 EOF
        2: FLOCK  ADVISORY  WRITE 22 fe:00:200 0 EOF
        2: -> FLOCK  ADVISORY  WRITE 23 fe:00:200 0 EOF
        3: FLOCK  ADVISORY  READ 33 fe:00:300 0 EOF
        4: FLOCK  ADVISORY  WRITE 0 fe:00:400 0 EOF
        5: FLOCK  ADVISORY  WRITE -1 fe:00
        6: FLOCK  ADVISORY  WRITE 66 zz:00:600 0 EOF

        """

    @Test(arguments: [(100, false), (200, true), (300, false), (400, true), (600, false)])
    func `only exclusive flocks count`(inode: UInt64, isHeld: Bool) {
        let locks = ProcessLocks(text: Array(table.utf8))

        #expect((locks.holder(device: 0xFE00, inode: inode, expected: nil) != nil) == isHeld)
    }

    @Test func `a holder without a number is a holder`() {
        let locks = ProcessLocks(text: Array(table.utf8))

        #expect(locks.holder(device: 0xFE00, inode: 200, expected: nil)?.pid == 22)
        #expect(locks.holder(device: 0xFE00, inode: 400, expected: nil) == .init(pid: nil, device: 0xFE00))
    }

    @Test func `on another device a holder counts only if the file names it`() {
        let locks = ProcessLocks(text: Array(table.utf8))

        #expect(locks.holder(device: 0x2A, inode: 200, expected: nil) == nil)
        #expect(locks.holder(device: 0x2A, inode: 200, expected: 99) == nil)
        #expect(locks.holder(device: 0x2A, inode: 200, expected: 22) != nil)
    }

    @Test func `a lock that this process holds is in the system's table`() async throws {
        try await withTemporaryDirectory { directory in
            let file = try directory.write("loop.lock", "")
            let status = try #require(EntryStatus(at: file))
            let descriptor = open(file, O_RDWR | O_CLOEXEC)
            defer { close(descriptor) }
            #expect(flock(descriptor, LOCK_EX) == 0)

            let held = try #require(ProcessLocks.current())
                .holder(device: status.device, inode: status.inode, expected: nil)

            #expect(held?.pid == getpid())
        }
    }

    @Test func `this process runs, and one that cannot be does not`() throws {
        let own = try #require(RunningProcess(pid: getpid()))

        #expect(try #require(own.sinceBoot) >= 0)
        #expect(own.canHaveStarted(by: EntryStatus.now() / 1_000_000))
        #expect(RunningProcess(pid: 0) == nil)
        #expect(RunningProcess(pid: -1) == nil)
        #expect(RunningProcess(pid: .max) == nil)
    }

    @Test func `a zombie is dead`() async throws {
        let child = Process()
        child.executableURL = URL(fileURLWithPath: "/bin/sh")
        // The shell's child ends at once and is reaped by nobody, because the shell has become a sleeper.
        child.arguments = ["-c", "true & echo $!; exec sleep 30"]
        let output = Pipe()
        child.standardOutput = output
        try child.run()
        defer { child.terminate() }

        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        let pid = try #require(Int32(SessionDirectory.trimmed(line)))

        try await eventually(within: .seconds(10)) { RunningProcess(pid: pid) == nil }
        #expect(kill(pid, 0) == 0)
    }
}
