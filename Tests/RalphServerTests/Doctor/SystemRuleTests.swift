import Foundation
import RalphFeed
import RalphSessions
import RalphTestSupport
import RalphWire
import Testing

@testable import RalphServer

struct SystemRuleTests {
    private func figures(watches: Int, used: Int = 0, instances: Int = 128, held: Int = 1) -> InotifyFigures {
        var figures = InotifyFigures()
        figures.maximumWatches = watches
        figures.maximumInstances = instances
        figures.maximumEvents = 16_384
        figures.usedWatches = used
        figures.usedInstances = held
        return figures
    }

    @Test func `inotify must have room for what is needed beside what is used`() {
        #expect(InotifyCheckup.judge(figures(watches: 8192), needed: 100).map(\.level) == [.ok])
        let short = InotifyCheckup.judge(figures(watches: 8192, used: 8000), needed: 200)
        #expect(short.map(\.level) == [.warn])
        #expect(short.first?.advice?.contains("max_user_watches=65536") == true)
        #expect(InotifyCheckup.judge(figures(watches: 8192, held: 128), needed: 1).map(\.level) == [.warn])
        #expect(InotifyCheckup.judge(InotifyFigures(), needed: 1).map(\.level) == [.warn])
        var brief = figures(watches: 8192)
        brief.maximumEvents = 100
        #expect(InotifyCheckup.judge(brief, needed: 1).map(\.level) == [.ok, .warn])
    }

    @Test func `what the running server has taken is not counted beside what it needs`() async throws {
        try await withTemporaryDirectory { proc in
            for (pid, watches) in [("7", 300), ("8", 20)] {
                let line = "inotify wd:1 ino:1\n"
                try proc.write("\(pid)/fdinfo/3", String(repeating: line, count: watches))
                try proc.write("\(pid)/fd/0", "")
                #expect(symlink("anon_inode:inotify", "\(proc.path)/\(pid)/fd/3") == 0)
            }
            try proc.write("sys/fs/inotify/max_user_watches", "500\n")
            try proc.write("sys/fs/inotify/max_user_instances", "128\n")

            let all = InotifyFigures.read(proc: proc.path)
            #expect((all.usedWatches, all.usedInstances) == (320, 2))
            #expect(InotifyCheckup.judge(all, needed: 300).first?.level == .warn)
            let others = InotifyFigures.read(proc: proc.path, leavingOut: 7)
            #expect((others.usedWatches, others.usedInstances) == (20, 1))
            let finding = InotifyCheckup.judge(others, needed: 300).first
            #expect(finding?.level == .ok)
            #expect(
                finding?.found.hasPrefix("300 watches needed, 20 of 500 in use by this user's other") == true)
        }
    }

    @Test func `that more watches are needed than were counted is said`() {
        let finding = InotifyCheckup.judge(figures(watches: 8192), needed: 100, isCut: true).first

        #expect(finding?.found.hasPrefix("at least 100 watches needed") == true)
    }

    @Test func `watches are counted by their lines`() {
        let text = "pos:\t0\ninotify wd:2 ino:1\ninotify wd:1 ino:7\n"

        #expect(InotifyFigures.watches(fdinfo: Array(text.utf8)) == 2)
    }

    @Test(arguments: [
        ("ext4", FileSystemKind.local), ("tmpfs", .local), ("nfs4", .network("nfs4")),
        ("fuse.sshfs", .network("fuse.sshfs")), ("9p", .network("9p")), ("overlay", .layered("overlay")),
        ("fuseblk", .local),
    ])
    func `a file system is known by its type`(type: String, kind: FileSystemKind) {
        #expect(FileSystemKind(type: type) == kind)
    }

    @Test func `the mount closest above a path counts, and the last one on a place`() {
        let table = """
            1 0 8:1 / / rw - ext4 /dev/sda rw
            2 1 0:5 / /mnt/a\\040b rw shared:1 - nfs4 host:/x rw
            3 1 0:6 / /mnt rw - tmpfs t rw
            4 1 0:7 / /data rw - ext4 d rw
            5 1 0:8 / /data rw - overlay o rw
            broken
            """

        #expect(FileSystemKind.type(of: "/mnt/a b/c", mounts: table) == "nfs4")
        #expect(FileSystemKind.type(of: "/mnt/ab", mounts: table) == "tmpfs")
        #expect(FileSystemKind.type(of: "/mntx", mounts: table) == "ext4")
        #expect(FileSystemKind.type(of: "/data", mounts: table) == "overlay")
        #expect(FileSystemKind.type(of: "/", mounts: "") == nil)
    }

    @Test func `few descriptors and little room are told`() {
        #expect(DescriptorCheckup.judge(soft: 1024, hard: 65_536).level == .ok)
        #expect(DescriptorCheckup.judge(soft: 256, hard: 1000).level == .warn)
        #expect(DescriptorCheckup.judge(soft: 48, hard: 128).level == .warn)
        #expect(DescriptorCheckup.judge(soft: 48, hard: 127).level == .fail)
        #expect(StateCheckup.judge(free: 10 << 30).level == .ok)
        #expect(StateCheckup.judge(free: 100 << 20).level == .warn)
        #expect(StateCheckup.judge(free: 1 << 20).level == .fail)
        #expect(StateCheckup.judge(free: nil).level == .warn)
    }

    @Test func `the state directory is its owner's alone, writable and on a local disk`() {
        func judge(
            _ mode: UInt32, owner: UInt32 = 1, writable: Bool = true, readOnly: Bool = false,
            _ kind: FileSystemKind = .local
        ) -> Finding.Level {
            StateCheckup.judge(
                "/s", FileRights(owner: owner, mode: mode), user: 1, isWritable: writable,
                isReadOnly: readOnly, kind: kind
            ).level
        }

        #expect(judge(0o700) == .ok)
        #expect(judge(0o755) == .warn)
        #expect(judge(0o750) == .warn)
        #expect(judge(0o720) == .fail)
        #expect(judge(0o702) == .fail)
        #expect(judge(0o700, writable: false) == .fail)
        #expect(judge(0o700, readOnly: true) == .fail)
        #expect(judge(0o700, owner: 2) == .fail)
        #expect(judge(0o700, owner: 0) == .ok)
        #expect(judge(0o700, .network("nfs")) == .warn)
    }

    @Test func `clocks are judged by year, jumps, files and who keeps them`() {
        func judge(
            _ now: Int64 = 1_795_297_440_000, step: Double = 0, file: Double? = 0,
            _ keeper: ClockCheckup.Keeper = .synchronized
        ) -> [Finding.Level] {
            ClockCheckup.judge(now: now, step: step, fileDifference: file, keeper: keeper).map(\.level)
        }

        #expect(judge() == [.ok])
        #expect(judge(0) == [.fail])
        #expect(judge(step: -2) == [.ok, .warn])
        #expect(judge(file: 3600) == [.ok, .warn])
        #expect(judge(file: nil, .unknown) == [.ok])
        #expect(judge(file: 0, .unsynchronized) == [.warn])
    }

    @Test func `a damaged store fails, a damaged index is made anew`() {
        #expect(StoreHealthCheckup.judge(store: .damaged("x")).level == .fail)
        #expect(StoreHealthCheckup.judge(search: .damaged("x")).level == .warn)
        #expect(StoreHealthCheckup.judge(store: .inUse(pid: 7)).level == .ok)
        #expect(StoreHealthCheckup.judge(store: .newerSchema(migration: "x")).level == .fail)
        #expect(StoreHealthCheckup.judge(store: .missing).level == .ok)
    }
}
