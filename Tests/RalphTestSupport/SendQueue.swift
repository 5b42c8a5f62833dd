import Foundation

/// What waits in the kernel to be sent from one port of this machine (proc_net_tcp(5)).
public enum SendQueue {
    /// Bytes over all connections of the local `port`.
    public static func bytes(port: Int) throws -> Int {
        // Not by its size, which is 0 for these files: only the first page would be read.
        let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: "/proc/net/tcp"))
        let table = String(decoding: try handle.readToEnd() ?? Data(), as: UTF8.self)
        let local = ":" + String(format: "%04X", port)
        return table.split(separator: "\n").dropFirst().reduce(0) { sum, line in
            let fields = line.split(separator: " ")
            guard fields.count > 4, fields[1].hasSuffix(local) else { return sum }
            return sum + (Int(fields[4].prefix { $0 != ":" }, radix: 16) ?? 0)
        }
    }

    /// Waits until bytes of `port` wait and none has moved for a while: the peers do not read.
    public static func waitUntilStuck(port: Int) async throws {
        var last = (bytes: 0, since: ContinuousClock.now)
        try await eventually(within: .seconds(20), "a full send queue") {
            let bytes = try bytes(port: port)
            if bytes != last.bytes { last = (bytes, .now) }
            return bytes > 0 && ContinuousClock.now - last.since > .milliseconds(300)
        }
    }
}
