/// Everything that an examination found.
public struct Diagnosis: Sendable, Codable, Equatable {
    /// The worst of the findings.
    public let status: Finding.Level
    public let findings: [Finding]

    public init(_ findings: [Finding]) {
        self.findings = findings
        status = findings.map(\.level).max() ?? .ok
    }
}
