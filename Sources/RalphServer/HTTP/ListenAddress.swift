/// Where to listen, as it can be said: `HOST`, `HOST:PORT`, `[IPV6]:PORT` or an IPv6 literal.
struct ListenAddress: Equatable {
    let host: String
    /// 0 … 65535; `nil`: none is said.
    let port: Int?

    init?(_ text: String) {
        var address = Substring(text)
        var portText: Substring?
        if address.hasPrefix("[") {
            guard let end = address.firstIndex(of: "]") else { return nil }
            let rest = address[address.index(after: end)...]
            guard rest.isEmpty || rest.hasPrefix(":") else { return nil }
            portText = rest.isEmpty ? nil : rest.dropFirst()
            address = address[address.index(after: address.startIndex)..<end]
        } else if address.filter({ $0 == ":" }).count == 1, let colon = address.firstIndex(of: ":") {
            portText = address[address.index(after: colon)...]
            address = address[..<colon]
        }
        guard !address.isEmpty else { return nil }
        host = String(address)
        guard let portText else {
            port = nil
            return
        }
        guard let number = Int(portText), (0...65535).contains(number) else { return nil }
        port = number
    }
}
