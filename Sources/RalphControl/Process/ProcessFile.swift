import RalphSessions

/// Files of `/proc/PID` that hold strings with a NUL behind each (proc(5)).
enum ProcessFile {
    /// More of a command line or an environment is not looked at.
    private static let maximumBytes = 4 << 20

    /// The strings of `cmdline` or `environ` of this very process; `nil` if it is gone or refuses.
    static func strings(of process: ProcessIdentity, _ name: String) -> [String]? {
        guard let bytes = bytes(pid: process.pid, name), process.isAlive else { return nil }
        var strings = bytes.split(separator: 0, omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        if strings.last?.isEmpty == true { strings.removeLast() }
        return strings
    }

    /// The bytes of the file, of whoever has the number now.
    static func bytes(pid: Int32, _ name: String) -> [UInt8]? {
        BoundedFile.readSystemFile("/proc/\(pid)/\(name)", maximumBytes: maximumBytes)
    }
}
