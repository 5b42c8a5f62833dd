import NIOCore
import RalphWire

/// One question to a server on this machine, with the key of its record.
package struct LocalQuestion: Sendable {
    private let remote: RemoteAddress
    private let key: String
    private let fingerprint: String?

    /// - Parameter fingerprint: of its certificate; `nil`: it speaks plain HTTP.
    /// - Throws: ``RemoteAddressProblem`` if there can be no such address.
    package init(
        host: String, port: Int, key: String, fingerprint: String?
    ) throws(RemoteAddressProblem) {
        let name = host.contains(":") ? "[\(host)]" : host
        remote = try RemoteAddress("\(fingerprint == nil ? "http" : "https")://\(name):\(port)")
        self.key = key
        self.fingerprint = fingerprint.map(CertificateFacts.normalized)
    }

    /// The answer to `GET path`; `nil`: there is none.
    package func get(_ path: String) async -> (status: Int, body: [UInt8])? {
        let limits = ExaminationLimits()
        let (addresses, _) = await NameLookup.addresses(
            of: remote.host, port: remote.port, within: limits.lookup)
        guard let address = addresses.first else { return nil }
        do {
            let reply = try await Dialer(remote: remote, address: address, limits: limits)
                .get(
                    path, headers: [("Authorization", "Bearer \(key)")],
                    trust: fingerprint.map(Trust.pinned) ?? .system)
            return (reply.status, reply.body)
        } catch {
            return nil
        }
    }
}
