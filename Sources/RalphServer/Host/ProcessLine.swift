/// What one line of `/proc/PID/stat` says of a process's use of the machine (proc(5)).
///
/// Layout: `pid (name) state ppid … utime stime … starttime vsize rss …`, fields 14, 15, 22 and 24; the name may
/// hold anything, also blanks and parentheses.
struct ProcessLine: Sendable, Equatable {
    let pid: Int32
    /// The command name, cut to 15 bytes by the system.
    let name: String
    let parent: Int32
    /// Clock ticks of processor time since it began, its own and the system's for it.
    let ticks: UInt64
    /// When it began, clock ticks since boot.
    let startTicks: UInt64
    /// Pages in memory.
    let residentPages: UInt64
    /// Ended and not reaped yet.
    let isOver: Bool

    /// `nil` for what is no such line.
    init?(stat: [UInt8]) {
        guard let open = stat.firstIndex(of: UInt8(ascii: "(")),
            let close = stat.lastIndex(of: UInt8(ascii: ")")), open < close,
            let pid = SystemText.fields(stat[..<open]).first.flatMap({ Int32($0) })
        else { return nil }
        let fields = SystemText.fields(stat[(close + 1)...].prefix { $0 != 0x0A })
        guard fields.count > 21, let parent = Int32(fields[1]), let user = UInt64(fields[11]),
            let system = UInt64(fields[12]), let start = UInt64(fields[19])
        else { return nil }
        self.pid = pid
        name = String(decoding: stat[(open + 1)..<close], as: UTF8.self)
        self.parent = parent
        ticks = user &+ system
        startTicks = start
        residentPages = UInt64(fields[21]) ?? 0  // the system writes it with a sign
        isOver = ["Z", "X", "x"].contains(fields[0])
    }
}
