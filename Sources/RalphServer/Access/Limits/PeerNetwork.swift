/// Whom a limit counts together: one IPv4 address, or the /64 network of an IPv6 address, which is the least
/// that one host is given (RFC 6177), so that nobody gains anything by changing addresses in it.
struct PeerNetwork: Sendable, Hashable {
    private let bits: UInt64
    /// Bytes of an address; 0: there is none, and all such peers are counted together.
    private let family: UInt8

    /// - Parameter address: without a port, as in ``Peer/text``.
    init(_ address: String) {
        guard let bytes = IPAddress(address)?.bytes else {
            (bits, family) = (0, 0)
            return
        }
        bits = bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        family = UInt8(bytes.count)
    }
}
