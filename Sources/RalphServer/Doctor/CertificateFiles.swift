/// The files of a certificate and its key.
package struct CertificateFiles: Sendable, Equatable {
    package let certificate: String
    package let key: String

    package init(certificate: String, key: String) {
        self.certificate = certificate
        self.key = key
    }
}
