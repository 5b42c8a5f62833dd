/// The answer to `POST /api/pairing/redeem`: who the device is now, and with whom.
struct PairedDevice: Sendable, Encodable {
    /// The server, as the device should remember it.
    struct Server: Sendable, Encodable {
        let name = "ralph-mobile-server"
        let version = ServerVersion.text
        let api_version = ServerCard.apiVersion
        /// SHA-256 of the certificate in hexadecimal; `nil`: plain HTTP.
        let tls_fingerprint: String?
    }

    let device: DeviceObject
    /// Shown this once; only its digest is kept.
    let token: String
    let server: Server
}
