import Foundation
import NIOCore
import RalphWire

/// Finding the addresses of a name (getaddrinfo(3)).
enum NameLookup {
    /// The addresses of `host`, in the system's order; empty, and the reason, if there are none.
    static func addresses(
        of host: String, port: Int, within limit: Duration
    ) async -> (addresses: [SocketAddress], problem: String?) {
        await Deadline.blocking(within: limit) { find(host, port) } ?? ([], "the name server does not answer")
    }

    private static func find(_ host: String, _ port: Int) -> (addresses: [SocketAddress], problem: String?) {
        var hints = addrinfo.stream
        var found: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, String(port), &hints, &found)
        guard code == 0 else { return ([], String(cString: gai_strerror(code))) }
        defer { freeaddrinfo(found) }
        var addresses: [SocketAddress] = []
        var next = found
        while let entry = next?.pointee {
            next = entry.ai_next
            var name = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            guard
                getnameinfo(
                    entry.ai_addr, entry.ai_addrlen, &name, socklen_t(name.count), nil, 0, NI_NUMERICHOST)
                    == 0
            else { continue }
            let bytes = name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
            // A literal with a zone is none that can be connected to here.
            if let address = try? SocketAddress(
                ipAddress: String(decoding: bytes, as: UTF8.self), port: port)
            {
                addresses.append(address)
            }
        }
        return (addresses, addresses.isEmpty ? "it has no address" : nil)
    }
}
