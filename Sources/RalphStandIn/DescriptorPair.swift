import Glibc

/// Two descriptors that children do not inherit.
enum DescriptorPair {
    /// A pipe: reading end, writing end.
    static func pipe() throws(StandInError) -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [0, 0]
        guard Glibc.pipe(&ends) == 0 else { throw .failure("pipe: \(String(cString: strerror(errno)))") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    /// A pseudo terminal: its master, and its slave with the slave's path.
    static func terminal() throws(StandInError) -> (master: Int32, slave: Int32, path: String) {
        var master: Int32 = 0
        var slave: Int32 = 0
        var name = [CChar](repeating: 0, count: 256)
        guard openpty(&master, &slave, &name, nil, nil) == 0 else {
            throw .failure("openpty: \(String(cString: strerror(errno)))")
        }
        for descriptor in [master, slave] { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        let path = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return (master, slave, path)
    }
}
