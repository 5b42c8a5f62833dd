package import RalphWire

/// The answer to `POST /api/pairing/tickets`: a ticket in all forms, and what it buys.
package struct PairingInvitation: Sendable, Codable {
    /// 26 characters.
    package let ticket: String
    /// In groups, for typing.
    package let typed: String
    /// What the QR code says; see ``PairingLink``.
    package let link: String
    /// `HOST:PORT`, the best first.
    package let hosts: [String]
    /// Whether only this machine can reach the server.
    package let local_only: Bool
    package let scope: Scope
    /// The device's name, if it was chosen already.
    package let name: String?
    /// RFC 3339.
    package let expires_at: String

    /// - Parameter expiry: milliseconds since 1970.
    init?(
        _ ticket: PairingTicket, _ grant: PairingTickets.Grant, until expiry: Int64, at place: ReachableHosts,
        fingerprint: String?
    ) {
        guard let link = PairingLink(hosts: place.addresses, ticket: ticket, fingerprint: fingerprint) else {
            return nil
        }
        self.ticket = ticket.text
        typed = ticket.typed
        self.link = link.text
        hosts = place.addresses.map(\.text)
        local_only = place.isLocalOnly
        scope = grant.scope
        name = grant.name?.text
        expires_at = Timestamp.text(expiry)
    }
}
