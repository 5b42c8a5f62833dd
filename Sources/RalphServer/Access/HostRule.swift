/// Which names in `Host` are ours (design 8): nothing that a web page's own domain could be made to point at us
/// with (DNS rebinding).
struct HostRule: Sendable {
    private let declared: Set<String>

    /// - Parameter declared: values of `--allowed-host`.
    init(declared: [String] = []) {
        self.declared = Set(declared.map { Self.name(of: $0) ?? $0.lowercased() })
    }

    /// Whether we answer for `host`, a header's value with or without a port: IP literals, `localhost`,
    /// `*.localhost`, `*.local` and declared names.
    func answers(for host: String) -> Bool {
        // A zone is of no other machine's business, and in no address that a browser has (RFC 9844).
        guard let name = Self.name(of: host), !name.contains("%") else { return false }
        return name == "localhost" || name.hasSuffix(".localhost") || name.hasSuffix(".local")
            || isDeclared(name) || IPAddress(Self.literal(name)) != nil
    }

    /// Whether `host`, a header's value, can only be this machine's name for itself.
    static func meansThisMachine(_ host: String) -> Bool {
        guard let name = name(of: host) else { return false }
        return name == "localhost" || name.hasSuffix(".localhost") || address(of: host)?.isLoopback == true
    }

    /// The address that `host` is; `nil` for a name.
    static func address(of host: String) -> IPAddress? {
        name(of: host).flatMap { IPAddress(literal($0)) }
    }

    /// Whether `name` was declared, in lower case and without a port.
    func isDeclared(_ name: String) -> Bool { declared.contains(name) }

    /// The name in lower case, without a port and a last dot; `nil` if it is no host at all.
    static func name(of host: String) -> String? {
        guard host.utf8.count <= WebOrigin.maximumBytes else { return nil }
        var name = Substring(host.lowercased())
        if name.hasPrefix("[") {
            guard let end = name.firstIndex(of: "]") else { return nil }
            guard isPort(name[name.index(after: end)...]) else { return nil }
            return String(name[...end])
        }
        if let colon = name.lastIndex(of: ":") {
            guard isPort(name[colon...]) else { return nil }
            name = name[..<colon]
        }
        if name.hasSuffix(".") { name.removeLast() }
        return WebOrigin.isHost(name) ? String(name) : nil
    }

    private static func literal(_ name: String) -> Substring {
        name.hasPrefix("[") ? name.dropFirst().dropLast() : name[...]
    }

    /// Nothing, or a colon and a number.
    static func isPort(_ text: Substring) -> Bool {
        guard !text.isEmpty else { return true }
        return text.first == ":" && UInt16(text.dropFirst()) != nil
            && text.dropFirst().utf8.allSatisfy { (0x30...0x39).contains($0) }
    }
}
