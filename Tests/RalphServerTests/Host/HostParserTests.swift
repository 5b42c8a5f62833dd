import Testing

@testable import RalphServer

/// The files of proc(5), as machines write them and as they should not.
struct HostParserTests {
    private static let stat = """
        cpu  100 10 50 800 40 0 0 0 5 0
        cpu0 50 5 25 400 20 0 0 0 0 0
        cpu1 50 5 25 400 20 0 0 0 0 0
        intr 12345 0 0
        ctxt 99
        btime 1700000000
        """

    @Test func `processor time is busy unless it is idle or waits for a disk`() throws {
        let times = try #require(CPUTimes(stat: Array(Self.stat.utf8)))

        #expect(times.total == 1000)
        #expect(times.busy == 160)
        #expect(times.cores == 2)
    }

    @Test(arguments: [
        ("cpu 1 2 3 4", 1), ("cpu 0 0 0 0 0 0 0 0 0 0\ncpu7 0\ncpuidle 1", 1),
        ("cpu 1 x 3 4\ncpu0 1\ncpu1 1\ncpu2 1", 3),
    ])
    func `older and stranger forms are read as far as they go`(_ text: String, _ cores: Int) throws {
        #expect(try #require(CPUTimes(stat: Array(text.utf8))).cores == cores)
    }

    @Test(arguments: ["", "cpu0 1 2 3 4", "cpu 1 2 3", "cpuidle 1 2 3 4 5"])
    func `without the line of all processors there is nothing`(_ text: String) {
        #expect(CPUTimes(stat: Array(text.utf8)) == nil)
    }

    @Test(arguments: [
        ("cpu 0 0 0 100", "cpu 50 0 0 150", 50.0), ("cpu 0 0 0 100", "cpu 0 0 0 200", 0.0),
        ("cpu 0 0 0 100", "cpu 100 0 0 100", 100.0), ("cpu 9 0 0 100", "cpu 9 0 0 100", 0.0),
        ("cpu 50 0 0 100", "cpu 10 0 0 200", 0.0),
    ])
    func `usage is the busy share of what went by`(_ before: String, _ after: String, _ percent: Double)
        throws
    {
        let (old, new) = (CPUTimes(stat: Array(before.utf8)), CPUTimes(stat: Array(after.utf8)))
        #expect(try #require(new).usagePercent(since: try #require(old)) == percent)
    }

    @Test(
        arguments: [
            ("MemTotal: 1000 kB\nMemFree: 10 kB\nMemAvailable:  600 kB\n", 1_024_000, 409_600),
            (
                "MemTotal:1000 kB\nMemTotal: 1000 kB\nMemFree: 100 kB\nBuffers: 50 kB\nCached: 250 kB",
                1_024_000, 614_400
            ),
            ("MemTotal: 10 kB\nMemAvailable: 20 kB", 10240, 0),
        ] as [(String, UInt64, UInt64)])
    func `memory is used unless it is available`(_ text: String, _ total: UInt64, _ used: UInt64) {
        #expect(
            MemoryFigures(meminfo: Array(text.utf8)) == MemoryFigures(totalBytes: total, usedBytes: used))
    }

    @Test(arguments: ["", "MemFree: 1 kB", "MemTotal: x kB", "MemTotal: 0 kB"])
    func `without a total there is no memory`(_ text: String) {
        #expect(MemoryFigures(meminfo: Array(text.utf8)) == nil)
    }

    @Test(
        arguments: [
            ("500\n", "300\n", "anon 1\ninactive_file 100\n", 500, 200), ("max\n", "300\n", "", 1000, 700),
            ("2000\n", "300\n", "", 1000, 700), ("500\n", "900\n", "", 500, 500), ("500", "x", "", 1000, 700),
            ("500", "50", "inactive_file 100", 500, 0),
        ] as [(String, String, String, UInt64, UInt64)])
    func `a container's limit counts where it is the smaller one`(
        _ limit: String, _ current: String, _ stat: String, _ total: UInt64, _ used: UInt64
    ) {
        let machine = MemoryFigures(totalBytes: 1000, usedBytes: 700)
        let limited = machine.limited(
            limit: Array(limit.utf8), current: Array(current.utf8), stat: Array(stat.utf8))
        #expect(limited == MemoryFigures(totalBytes: total, usedBytes: used))
    }

    @Test func `only real interfaces are counted`() {
        let text = """
            Inter-|   Receive                                                |  Transmit
             face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop
                lo: 999 1 0 0 0 0 0 0 999 1 0 0 0 0 0 0
              eth0:1000 1 0 0 0 0 0 0 2000 1 0 0 0 0 0 0
            veth12: 7 1 0 0 0 0 0 0 7 1 0 0 0 0 0 0
            wlp3s0: 5 1 0 0 0 0 0 0 x 1 0 0 0 0 0 0
             enp1: 3 1
            """
        let counters = NetworkCounters(dev: Array(text.utf8))
        #expect(counters.interfaces == ["eth0": .init(received: 1000, sent: 2000)])
    }

    @Test func `an interface that is new or counts anew makes no jump`() {
        let old = NetworkCounters(interfaces: [
            "a": .init(received: 10, sent: 10), "b": .init(received: 9, sent: 9),
        ])
        let new = NetworkCounters(interfaces: [
            "a": .init(received: 15, sent: 11), "b": .init(received: 1, sent: 20),
            "c": .init(received: 999, sent: 999),
        ])
        #expect(new.bytes(since: old) == .init(received: 5, sent: 12))
    }

    @Test(arguments: [
        ("0.52 0.58 0.59 1/467 12345\n", [0.52, 0.58, 0.59]), ("1 2 3", [1, 2, 3]), ("", nil), ("1 2", nil),
        ("a b c", nil), ("nan 1 2", nil), ("-1 1 2", nil),
    ])
    func `three averages, or none`(_ text: String, _ numbers: [Double]?) {
        #expect(LoadAverages.parse(Array(text.utf8)) == numbers)
    }
}
