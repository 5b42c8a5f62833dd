/// Bytes that went through each network interface since it came up, of `/proc/net/dev` (proc(5)).
///
/// Layout: two lines of headings, then `name: received_bytes packets … transmitted_bytes packets …`, 16 numbers;
/// no blank need stand behind the colon. What passes through an interface of the machine's own making (bridges,
/// containers, tunnels) passes through a real one too, so those are left out, as is the loopback.
struct NetworkCounters: Sendable, Equatable {
    /// What one interface counted.
    struct Interface: Sendable, Equatable {
        var received: UInt64
        var sent: UInt64
    }

    /// Beginnings of the names of interfaces that are left out.
    static let virtualPrefixes = [
        "veth", "docker", "br-", "virbr", "vnet", "tap", "tun", "wg", "tailscale", "cni", "flannel", "cali",
    ]
    /// Further interfaces are not looked at.
    static let maximumCount = 256

    private(set) var interfaces: [String: Interface] = [:]

    init(interfaces: [String: Interface] = [:]) { self.interfaces = interfaces }

    /// - Parameter dev: the content of `/proc/net/dev`.
    init(dev: [UInt8]) {
        for line in dev.split(separator: 0x0A).prefix(Self.maximumCount) {
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { continue }
            guard let name = SystemText.fields(line[..<colon]).first, !Self.isLeftOut(name) else { continue }
            let numbers = SystemText.fields(line[(colon + 1)...])
            guard numbers.count >= 9, let received = UInt64(numbers[0]), let sent = UInt64(numbers[8]) else {
                continue
            }
            interfaces[name] = Interface(received: received, sent: sent)
        }
    }

    /// Bytes received and sent since `earlier`. An interface that came up since, or began to count anew, counts
    /// nothing this time.
    func bytes(since earlier: NetworkCounters) -> Interface {
        var sum = Interface(received: 0, sent: 0)
        for (name, now) in interfaces {
            guard let before = earlier.interfaces[name] else { continue }
            sum.received &+= now.received >= before.received ? now.received - before.received : 0
            sum.sent &+= now.sent >= before.sent ? now.sent - before.sent : 0
        }
        return sum
    }

    private static func isLeftOut(_ name: String) -> Bool {
        name == "lo" || virtualPrefixes.contains { name.hasPrefix($0) }
    }
}
