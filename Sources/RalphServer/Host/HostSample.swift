import RalphSessions
import RalphWire

/// One look at the machine; figures that are rates need two.
struct HostSample: Sendable {
    let taken: ContinuousClock.Instant
    /// Milliseconds since 1970.
    let time: Int64
    let cpu: CPUTimes?
    let memory: MemoryFigures?
    let load: [Double]?
    let network: NetworkCounters
    let disk: DiskFigures
    let processes: [Int32: ProcessStatus]

    /// Reads everything; what cannot be read is left out. Takes a file per process, so not for an event loop.
    init(_ files: HostFiles) {
        taken = .now
        time = WallClock.milliseconds()
        cpu = files.read("stat").flatMap(CPUTimes.init(stat:))
        memory = files.memory()
        load = files.read("loadavg").flatMap(LoadAverages.parse)
        network = files.read("net/dev").map(NetworkCounters.init(dev:)) ?? NetworkCounters()
        disk = DiskFigures(nearest: files.diskPath)
        processes = files.processes()
    }

    /// Whether there is anything to tell.
    var isReadable: Bool { cpu != nil || memory != nil }

    /// Seconds since `earlier`, never 0.
    func seconds(since earlier: HostSample) -> Double {
        let (seconds, attoseconds) = (taken - earlier.taken).components
        return max(0.001, Double(seconds) + Double(attoseconds) / 1e18)
    }
}
