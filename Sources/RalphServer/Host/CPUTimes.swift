/// What all processors together did since boot, of `/proc/stat` (proc(5)).
///
/// Layout: a line `cpu user nice system idle iowait irq softirq steal guest guest_nice` for all of them, in
/// ticks, and one `cpuN …` for each that is online; guest time is part of user time.
struct CPUTimes: Sendable, Equatable {
    /// Ticks in which a processor worked, or was taken away by the hypervisor.
    var busy: UInt64 = 0
    var total: UInt64 = 0
    /// Processors online.
    var cores = 0

    /// - Parameter stat: the content of `/proc/stat`; `nil` if it has no line of all processors.
    init?(stat: [UInt8]) {
        var isFound = false
        for line in stat.split(separator: 0x0A) where line.starts(with: "cpu".utf8) {
            let fields = SystemText.fields(line)
            guard let name = fields.first else { continue }
            if name == "cpu" {
                let ticks = fields.dropFirst().prefix(8).map { UInt64($0) ?? 0 }
                guard ticks.count >= 4 else { return nil }
                total = ticks.reduce(0, &+)
                busy = total &- ticks[3] &- (ticks.count > 4 ? ticks[4] : 0)
                isFound = true
            } else if Int(name.dropFirst(3)) != nil {
                cores += 1
            }
        }
        guard isFound else { return nil }
        cores = max(cores, 1)
    }

    /// The share that was busy since `earlier`, 0 … 100 of all processors together.
    func usagePercent(since earlier: CPUTimes) -> Double {
        // A machine that was moved or whose processors came and went may count backwards.
        guard total > earlier.total, busy >= earlier.busy else { return 0 }
        return min(100, Double(busy - earlier.busy) / Double(total - earlier.total) * 100)
    }
}
