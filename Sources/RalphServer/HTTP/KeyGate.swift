import NIOHTTP1
import RalphWire

/// Who may ask: the key, where one is required, and the host names that we answer for (design 8).
struct KeyGate: Sendable {
    private let key: [UInt8]?
    private let allowedHosts: Set<String>
    private let crossOrigin: CrossOriginPolicy

    /// What is answered without a key, so that who watches over the server needs none; it tells no secrets.
    static let openPaths: Set<String> = ["/health", "/livez", "/readyz", "/.well-known/ralph-mobile"]

    /// - Parameter key: `nil`: no key is asked for.
    init(
        key: String?, allowedHosts: [String] = [], crossOrigin: CrossOriginPolicy = CrossOriginPolicy()
    ) {
        self.crossOrigin = crossOrigin
        self.key = key.map { Array($0.utf8) }
        self.allowedHosts = Set(allowedHosts.map { $0.lowercased() })
    }

    var isKeyRequired: Bool { key != nil }

    /// What is wrong with a request's host or key; `nil` if it may go on.
    ///
    /// ``openPaths`` and the question of a browser what a page may send are open without a key, but a wrong one
    /// is told (http-contract 2).
    func problem(_ method: HTTPMethod, path: String, headers: HTTPHeaders) -> Problem? {
        if let host = headers.first(name: "host"), !answers(for: host) { return .misdirected(host) }
        if ![.GET, .HEAD, .OPTIONS].contains(method), !isFromHere(headers) { return .forbiddenOrigin }
        guard let key else { return nil }
        guard let offered = offeredKey(headers) else {
            let isOpen =
                Self.openPaths.contains(path)
                || method == .OPTIONS && CrossOriginPolicy.isPreflight(headers)
            return isOpen ? nil : .unauthorized
        }
        return Self.isEqual(offered, key) ? nil : .unauthorized
    }

    private func offeredKey(_ headers: HTTPHeaders) -> [UInt8]? {
        if let value = headers.first(name: "x-api-key") { return Array(value.utf8) }
        guard let value = headers.first(name: "authorization") else { return nil }
        let parts = value.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { return Array(value.utf8) }
        return Array(parts[1].utf8)
    }

    /// Whether a command comes from no web page, from one of ours, or from one of a declared host or origin: a
    /// page of another site can send a request, though it cannot read the answer (design 8).
    private func isFromHere(_ headers: HTTPHeaders) -> Bool {
        guard let origin = headers.first(name: "origin") else { return true }
        guard let page = WebOrigin(origin), headers["origin"].count == 1 else { return false }
        if origin.lowercased().hasSuffix("://" + (headers.first(name: "host")?.lowercased() ?? "/")) {
            return true
        }
        return page.isLoopback || allowedHosts.contains(page.host) || crossOrigin.allows(page)
    }

    /// IP literals, `localhost`, `*.localhost`, `*.local` and declared names: nothing that a web page's own
    /// domain could be made to point at us with (DNS rebinding).
    private func answers(for host: String) -> Bool {
        var name = Substring(host.lowercased())
        if name.hasPrefix("[") { return name.contains("]") }
        if let colon = name.lastIndex(of: ":") { name = name[..<colon] }
        if name.hasSuffix(".") { name.removeLast() }
        return name == "localhost" || name.hasSuffix(".localhost") || name.hasSuffix(".local")
            || allowedHosts.contains(String(name)) || Self.isIPv4(name)
    }

    private static func isIPv4(_ name: Substring) -> Bool {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts.allSatisfy { part in UInt8(part) != nil }
    }

    /// Compares in a time that depends on the lengths only.
    private static func isEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        var difference = left.count ^ right.count
        for (index, byte) in right.enumerated() {
            difference |= Int(byte ^ (index < left.count ? left[index] : ~byte))
        }
        return difference == 0
    }
}
