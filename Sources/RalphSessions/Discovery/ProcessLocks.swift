/// Which files are locked with flock(2) right now, as `/proc/locks` tells (proc(5)).
///
/// Looking there touches no lock: a lock taken only to see whether it can be had could make a Ralph that
/// starts at this instant believe that the workspace is taken (contract 3.3).
///
/// Lines: `1: FLOCK  ADVISORY  WRITE 2089 fe:00:16220342 0 EOF`, device in hexadecimal, inode in decimal
/// digits; a waiting process has `->` behind the number.
package struct ProcessLocks: Sendable {
    /// Who holds a lock.
    struct Holder: Sendable, Equatable {
        /// `nil` if the system does not say it (locks over NFS, other process namespaces).
        var pid: Int32?
        var device: UInt64
    }

    private let holders: [UInt64: [Holder]]

    /// - Parameter text: the content of `/proc/locks`.
    init(text: some Collection<UInt8>) {
        var holders: [UInt64: [Holder]] = [:]
        for line in text.split(separator: 0x0A) {
            guard let (inode, holder) = Self.parse(line) else { continue }
            holders[inode, default: []].append(holder)
        }
        self.holders = holders
    }

    /// The locks of now; `nil` where the system does not list them.
    package static func current() -> ProcessLocks? {
        BoundedFile.readSystemFile("/proc/locks", maximumBytes: 16 << 20).map { ProcessLocks(text: $0) }
    }

    /// Who holds the file of these numbers (stat(2)) exclusively.
    ///
    /// - Parameter expected: the pid that the file itself names. Some file systems list another device than
    ///   stat(2) gives; there a holder counts only if it is this one.
    func holder(device: UInt64, inode: UInt64, expected: Int32?) -> Holder? {
        guard let candidates = holders[inode] else { return nil }
        return candidates.first { $0.device == device }
            ?? candidates.first { $0.pid != nil && $0.pid == expected }
    }

    private static func parse(_ line: some Collection<UInt8>) -> (inode: UInt64, Holder)? {
        let fields = line.split(separator: 0x20).map { String(decoding: $0, as: UTF8.self) }
        guard fields.count >= 6, fields[1] == "FLOCK", fields[3] == "WRITE" else { return nil }
        let place = fields[5].split(separator: ":")
        guard place.count == 3, let major = UInt64(place[0], radix: 16),
            let minor = UInt64(place[1], radix: 16),
            let inode = UInt64(place[2])
        else { return nil }
        let pid = Int32(fields[4]).flatMap { $0 > 0 ? $0 : nil }
        return (inode, Holder(pid: pid, device: device(major, minor)))
    }

    /// A device number as stat(2) spells it, see makedev(3).
    static func device(_ major: UInt64, _ minor: UInt64) -> UInt64 {
        (major & 0xFFF) << 8 | (major & ~0xFFF) << 32 | (minor & 0xFF) | (minor & ~0xFF) << 12
    }
}
