package import RalphWire

/// A device as clients see it: everything but what its token could be guessed from.
package struct DeviceObject: Codable, Sendable {
    package let id: String
    package let name: String
    package let scope: Scope
    package let scopes: [Scope]
    package let created_at: String
    /// `nil`: it has not come since it was paired.
    package let last_seen: String?
    package let last_peer: String?

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
