import RalphWire

/// A paired client, which has a token of its own.
struct Device: Sendable, Codable, Equatable {
    let id: DeviceID
    /// What its user calls it, 1 … ``DeviceBook/maximumNameBytes`` bytes.
    let name: String
    let scope: Scope
    /// Milliseconds since 1970.
    let createdAt: Int64
    /// Milliseconds since 1970; `nil`: it has not come since it was paired. Written down once a minute.
    var lastSeen: Int64?
    /// The address that it last came from.
    var lastPeer: String?
    /// The SHA-256 of its token, in hexadecimal; the token itself is nowhere.
    let tokenDigest: String
}
