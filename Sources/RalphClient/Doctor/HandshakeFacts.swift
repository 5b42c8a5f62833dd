/// What a TLS handshake showed.
struct HandshakeFacts: Sendable, Equatable {
    /// As NIOSSL names it, such as `tlsv13`; `nil`: not known.
    var version: String?
    /// What was agreed on by ALPN.
    var negotiated: String?
    var certificate: CertificateFacts?
    /// Why the system's authorities do not vouch for it; `nil`: they do.
    var distrust: String?
    var time: Duration = .zero
}
