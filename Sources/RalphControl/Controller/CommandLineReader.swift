import Foundation

/// Command lines of living processes, as `/proc` tells them (proc(5)).
enum CommandLineReader {
    private static let maximumBytes = 1 << 20

    /// The words of a process's command line, program first; `nil` without such a process.
    static func words(of pid: Int32) -> [String]? {
        let file = open("/proc/\(pid)/cmdline", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 64 * 1024)
        while bytes.count < maximumBytes {
            let count = part.withUnsafeMutableBytes { read(file, $0.baseAddress, $0.count) }
            if count <= 0 { break }
            bytes += part[..<count]
        }
        if bytes.last == 0 { bytes.removeLast() }
        guard !bytes.isEmpty else { return nil }
        return bytes.split(separator: 0, omittingEmptySubsequences: false).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The numbers of all processes.
    static func processes() -> [Int32] {
        // Without /proc there is nothing to be found.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.compactMap { Int32($0) }
    }
}
