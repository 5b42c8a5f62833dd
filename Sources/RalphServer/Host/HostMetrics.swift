import RalphWire

/// What `GET /api/host/metrics` says (http-contract 6): the nested form, and the flat one of older documents.
struct HostMetrics: Encodable, Sendable {
    struct CPU: Encodable, Sendable {
        /// 0 … 100 of all cores together.
        let usage_percent: Double
        let cores: Int
    }

    struct Space: Encodable, Sendable {
        let usage_percent: Double
        /// Of 2³⁰ bytes.
        let used_gb: Double
        let total_gb: Double
    }

    struct Network: Encodable, Sendable {
        /// Megabytes (10⁶) a second, in spite of the name: that is how the app shows it.
        let download_mbps: Double
        let upload_mbps: Double
        let download_bytes_per_sec: Int64
        let upload_bytes_per_sec: Int64
    }

    let cpu: CPU
    let memory: Space
    let disk: Space
    let network: Network
    let cpu_percent: Double
    let memory_percent: Double
    let disk_percent: Double
    let load_avg: [Double]
    let timestamp: String

    /// The figures of `new`, and the rates since `old`.
    init(_ old: HostSample, _ new: HostSample) {
        let usage = zip(old.cpu, new.cpu).map { $1.usagePercent(since: $0) } ?? 0
        cpu = CPU(usage_percent: Self.rounded(usage), cores: new.cpu?.cores ?? 1)
        let (used, total) = (new.memory?.usedBytes ?? 0, new.memory?.totalBytes ?? 0)
        memory = Self.space(used, total, percent: total > 0 ? Double(used) / Double(total) * 100 : 0)
        disk = Self.space(new.disk.usedBytes, new.disk.totalBytes, percent: new.disk.usagePercent)
        let bytes = new.network.bytes(since: old.network)
        let seconds = new.seconds(since: old)
        let (down, up) = (Double(bytes.received) / seconds, Double(bytes.sent) / seconds)
        network = Network(
            download_mbps: Self.rounded(down / 1_000_000), upload_mbps: Self.rounded(up / 1_000_000),
            download_bytes_per_sec: Int64(min(down, 1e15)), upload_bytes_per_sec: Int64(min(up, 1e15)))
        cpu_percent = cpu.usage_percent
        memory_percent = memory.usage_percent
        disk_percent = disk.usage_percent
        load_avg = new.load ?? [0, 0, 0]
        timestamp = Timestamp.text(new.time)
    }

    private static func space(_ used: UInt64, _ total: UInt64, percent: Double) -> Space {
        let gigabyte = Double(1 << 30)
        return Space(
            usage_percent: rounded(min(100, percent)), used_gb: rounded(Double(used) / gigabyte),
            total_gb: rounded(Double(total) / gigabyte))
    }

    /// To two digits; no client needs more.
    static func rounded(_ value: Double) -> Double {
        value.isFinite ? (value * 100).rounded() / 100 : 0
    }
}

/// Both values, if both are there.
private func zip<First, Second>(_ first: First?, _ second: Second?) -> (First, Second)? {
    guard let first, let second else { return nil }
    return (first, second)
}
