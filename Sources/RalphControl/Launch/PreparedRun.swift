import RalphWire

/// A run that can be started: what it is given is checked and lies in its directory.
struct PreparedRun: Sendable {
    let plan: LaunchPlan
    let session: SessionID
    let program: String
    let arguments: [String]
    let files: RunFiles
}
