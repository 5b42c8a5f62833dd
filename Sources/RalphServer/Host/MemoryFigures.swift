/// Memory of the machine, or of the container that we are in.
struct MemoryFigures: Sendable, Equatable {
    var totalBytes: UInt64
    var usedBytes: UInt64

    init(totalBytes: UInt64, usedBytes: UInt64) {
        self.totalBytes = totalBytes
        self.usedBytes = usedBytes
    }

    /// Used is what is not available: total less `MemAvailable` (proc(5)), or before Linux 3.14 less what is free
    /// and what caches hold.
    ///
    /// - Parameter meminfo: the content of `/proc/meminfo`; `nil` if the total is not there.
    init?(meminfo: [UInt8]) {
        guard let total = SystemText.kilobytes("MemTotal", in: meminfo), total > 0 else { return nil }
        let free = ["MemFree", "Buffers", "Cached"].reduce(UInt64(0)) { sum, name in
            sum &+ (SystemText.kilobytes(name, in: meminfo) ?? 0)
        }
        totalBytes = total
        usedBytes = total - min(total, SystemText.kilobytes("MemAvailable", in: meminfo) ?? free)
    }

    /// Narrowed to what a control group (cgroups(7), version 2) may use, where that is less than all.
    ///
    /// Used is then what the group holds but for file caches that could be dropped at once. Limits of groups
    /// above ours are not looked at, nor are limits of processor time.
    /// - Parameters:
    ///   - limit: the content of `memory.max`: a number, or `max`.
    ///   - current: that of `memory.current`.
    ///   - stat: that of `memory.stat`.
    func limited(limit: [UInt8]?, current: [UInt8]?, stat: [UInt8]?) -> MemoryFigures {
        guard let limit = limit.flatMap(Self.number), limit > 0, limit < totalBytes,
            let current = current.flatMap(Self.number)
        else { return self }
        let cache = stat.flatMap { SystemText.value("inactive_file", in: $0) } ?? 0
        return MemoryFigures(totalBytes: limit, usedBytes: min(limit, current - min(current, cache)))
    }

    private static func number(_ text: [UInt8]) -> UInt64? {
        SystemText.fields(text.split(separator: 0x0A).first ?? []).first.flatMap { UInt64($0) }
    }
}
