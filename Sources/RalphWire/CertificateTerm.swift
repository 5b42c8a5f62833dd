/// For how long a certificate is valid, seconds since 1970.
package struct CertificateTerm {
    /// From when on an end is told: two weeks before, or when a third is left of what is valid for less than six weeks.
    private static let fewSeconds: Int64 = 14 * 86_400

    private let start: Int64
    private let end: Int64

    package init(from start: Int64, until end: Int64) { (self.start, self.end) = (start, end) }

    /// Whether it ends soon, or has ended, at `now`.
    package func endsSoon(at now: Int64) -> Bool {
        end - now < min(Self.fewSeconds, (end - start) / 3)
    }
}
