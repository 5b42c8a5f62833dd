/// Where the server's certificate comes from.
package enum TLSSource: Sendable, Equatable {
    /// Two PEM files: the chain, its leaf first, and the leaf's private key.
    case files(certificate: String, key: String)
    /// Our own, kept in the state directory.
    case selfSigned
}
