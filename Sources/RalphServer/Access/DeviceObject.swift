import RalphWire

/// A device as clients see it: everything but what its token could be guessed from.
struct DeviceObject: Encodable, Sendable {
    let id: String
    let name: String
    let scope: Scope
    let scopes: [Scope]
    let created_at: String
    /// `nil`: it has not come since it was paired.
    let last_seen: String?
    let last_peer: String?

    init(_ device: Device) {
        id = device.id.text
        name = device.name
        scope = device.scope
        scopes = device.scope.all
        created_at = Timestamp.text(device.createdAt)
        last_seen = device.lastSeen.map(Timestamp.text)
        last_peer = device.lastPeer
    }
}
