import Logging
import NIOPosix
import RalphFeed
import RalphTestSupport

@testable import RalphServer

/// A made-up machine, whose files a test writes.
struct HostScene: Sendable {
    let directory: TemporaryDirectory
    let files: HostFiles

    init(_ directory: TemporaryDirectory) throws {
        self.directory = directory
        var files = HostFiles(diskPath: directory.path)
        files.proc = directory.path + "/proc"
        files.controlGroups = directory.path + "/cgroup"
        self.files = files
        try set(busy: 100, idle: 900)
        try directory.write("proc/meminfo", "MemTotal: 4194304 kB\nMemAvailable: 1048576 kB\n")
        try directory.write("proc/loadavg", "1.5 1.25 1 2/3 4\n")
        try set(received: 1000, sent: 1000)
    }

    func set(busy: Int, idle: Int) throws {
        try directory.write("proc/stat", "cpu \(busy) 0 0 \(idle) 0 0 0 0\ncpu0 1\ncpu1 1\n")
    }

    func set(received: Int, sent: Int) throws {
        try directory.write("proc/net/dev", "a\nb\neth0: \(received) 0 0 0 0 0 0 0 \(sent) 0 0 0 0 0 0 0\n")
    }

    func process(
        _ pid: Int, _ name: String = "worker", parent: Int = 1, ticks: Int, start: Int = 5, pages: Int = 256
    )
        throws
    {
        try directory.write(
            "proc/\(pid)/stat",
            "\(pid) (\(name)) S \(parent) \(pid) \(pid) 0 -1 0 0 0 0 0 \(ticks) 0 0 0 20 0 1 0 \(start) 0 \(pages) 0\n"
        )
    }
}
