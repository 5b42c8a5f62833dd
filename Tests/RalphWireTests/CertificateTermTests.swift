import RalphWire
import Testing

@Suite struct CertificateTermTests {
    private static let day: Int64 = 86_400

    @Test(arguments: [
        // Valid for, left, told.
        (820, 15, false), (820, 13, true), (90, 15, false), (90, 13, true), (42, 14, false),
        (6, 3, false), (6, 1, true), (1, 1, false), (1, 0, true), (820, -1, true),
    ])
    func `an end is told two weeks before, or when a third is left`(
        days: (valid: Int64, left: Int64, isTold: Bool)
    ) {
        let term = CertificateTerm(from: 1_700_000_000, until: 1_700_000_000 + days.valid * Self.day)
        let now = 1_700_000_000 + (days.valid - days.left) * Self.day
        #expect(term.endsSoon(at: now) == days.isTold)
    }
}
