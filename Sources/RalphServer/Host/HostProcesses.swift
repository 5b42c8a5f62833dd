import Foundation
import RalphSessions
import RalphWire

/// What `GET /api/host/processes` says (http-contract 6).
struct HostProcesses: Encodable, Sendable {
    struct Process: Encodable, Sendable {
        let name: String
        /// 100 is one core.
        let cpu_percent: Double
        /// Of 2²⁰ bytes, in memory.
        let memory_mb: Double
        let pid: Int32
        /// The session that it works for.
        let session_id: String?
        /// `true` for a run of a session or anything below it, else left out.
        let ralph: Bool?
    }

    /// Processes that are listed.
    static let maximumCount = 10

    let processes: [Process]
    let timestamp: String

    /// The processes of `new` that used most processor time since `old`; then those with most memory.
    ///
    /// - Parameter owners: the processes that sessions are known to have.
    init(_ old: HostSample, _ new: HostSample, owners: [Int32: ProcessOwners.Owner]) {
        let seconds = new.seconds(since: old)
        let used = new.processes.values.map { line in
            (line: line, ticks: Self.ticks(line, since: old.processes[line.pid]))
        }
        let top = used.sorted { left, right in
            if left.ticks != right.ticks { return left.ticks > right.ticks }
            if left.line.residentPages != right.line.residentPages {
                return left.line.residentPages > right.line.residentPages
            }
            return left.line.pid < right.line.pid
        }.prefix(Self.maximumCount)
        processes = top.map { line, ticks in
            let session = ProcessOwners.session(of: line, in: new.processes, owners)
            return Process(
                name: line.name,
                cpu_percent: HostMetrics.rounded(Double(ticks) / Self.ticksPerSecond / seconds * 100),
                memory_mb: HostMetrics.rounded(Double(line.residentPages) * Self.pageBytes / Double(1 << 20)),
                pid: line.pid, session_id: session?.rawValue, ralph: session == nil ? nil : true)
        }
        timestamp = Timestamp.text(new.time)
    }

    /// Ticks that a process used since it was seen before; all that it has if it began since.
    private static func ticks(_ line: ProcessStatus, since earlier: ProcessStatus?) -> UInt64 {
        guard let earlier, earlier.startTicks == line.startTicks else { return line.ticks }
        return line.ticks - min(line.ticks, earlier.ticks)
    }

    /// See sysconf(3).
    static let ticksPerSecond = Double(max(1, sysconf(Int32(_SC_CLK_TCK))))
    static let pageBytes = Double(max(1, sysconf(Int32(_SC_PAGESIZE))))
}
