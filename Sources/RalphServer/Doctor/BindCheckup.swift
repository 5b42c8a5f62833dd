import RalphWire

/// Where the server listens, who can come there, and whether the port is free.
struct BindCheckup: FileCheckup {
    let subject = "bind"
    let host: String
    let port: Int
    /// The port that a running server of this state directory holds.
    let heldPort: Int?

    func look() -> [Finding] {
        [
            Self.judge(host: host, port: port, own: MachineAddress.all()),
            Self.judge(
                port: port, isOurs: heldPort == port,
                problem: port == 0 || heldPort == port ? nil : ListeningSocket.problem(host: host, port: port)
            ),
        ]
    }

    /// Who can reach an address.
    static func judge(host: String, port: Int, own: [MachineAddress]) -> Finding {
        let address = PairingAddress.text(host: host, port: port)
        let listened = host == "0.0.0.0" ? own.filter { !$0.isIPv6 } : own
        let reachable = Set(listened.map(\.reach)).subtracting([.loopback]).sorted().map(\.words)
        let whom = reachable.isEmpty ? "nobody else now" : reachable.joined(separator: ", ")
        switch host {
        case "0.0.0.0":
            return .ok("bind", "\(address): every IPv4 address of this machine (\(whom)); no IPv6")
        case "::":
            return .ok("bind", "\(address): every IPv6 and IPv4 address of this machine (\(whom))")
        case "localhost":
            return .ok("bind", "\(address): this machine only")
        default: break
        }
        guard let literal = IPAddress(host) else {
            return .warn(
                "bind", "\(address): a name, which is looked up at the start",
                "An IP address, or --bind-all, does not depend on a name server.")
        }
        if literal.isLoopback { return .ok("bind", "\(address): this machine only") }
        guard let mine = own.first(where: { IPAddress($0.text) == literal }) else {
            return .fail(
                "bind", "\(address): this machine has no such address",
                "Take one of those below, or --bind-all.")
        }
        return .ok("bind", "\(address): \(mine.reach.words) (\(mine.interface))")
    }

    /// Whether the port can be had; `problem` is why it cannot.
    static func judge(port: Int, isOurs: Bool, problem: String?) -> Finding {
        if port == 0 { return .ok("port", "any free one is taken and printed at the start") }
        if isOurs { return .ok("port", "\(port) is held by the server that runs on this state directory") }
        guard let problem else { return .ok("port", "\(port) is free") }
        return .fail(
            "port", "\(port) cannot be had: \(problem)",
            "End what listens there (ss -ltnp shows it), or take another with --port.")
    }
}
