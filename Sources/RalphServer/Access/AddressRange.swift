/// A network in CIDR form, such as `10.0.0.0/8`, or one address (RFC 4632).
struct AddressRange: Sendable, Hashable {
    private let network: [UInt8]
    private let bits: Int

    /// `nil` for what is neither.
    init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = IPAddress(parts[0]) else { return nil }
        let all = address.bytes.count * 8
        guard parts.count > 1 else {
            (network, bits) = (address.bytes, all)
            return
        }
        guard let bits = Int(parts[1]), (0...all).contains(bits) else { return nil }
        (network, self.bits) = (address.bytes, bits)
    }

    func contains(_ address: IPAddress) -> Bool {
        guard address.bytes.count == network.count else { return false }
        for (index, pair) in zip(network, address.bytes).enumerated() {
            let rest = min(8, max(0, bits - index * 8))
            let mask = rest == 0 ? 0 : UInt8(truncatingIfNeeded: 0xFF00 >> rest)
            if pair.0 & mask != pair.1 & mask { return false }
        }
        return true
    }
}
